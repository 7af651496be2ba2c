"""One measure each: a module with `measure(place)`. In this order they are made, the quiet ones before those that heat."""
ORDER = ("startup", "dispatch", "durable", "plans", "stream", "lists", "check", "top", "session", "agents", "resume", "team", "http")
