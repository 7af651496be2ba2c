#!/usr/bin/env python3
"""A model on loopback for agent programs: what it answers stands in the prompt, or in a rule. It is scripted_http.py
with other rules; HACKING.md has the words. A prompt says FAKE(WORD...) or FAKE([STEP...]); a script is a list of
{"match": WORDS OF THE PROMPT, "steps": [STEP...]} for prompts that say nothing themselves.

Each request takes the next step, and the last step repeats. Steps are counted by API key and list, so that two agents
do not take each other's.
"""
import asyncio
import itertools
import json
import sys

from scripted_http import World, asked, body_of, is_chat, main, path_of

WORDS = {"ok": {}, "empty": {"text": ""}, "drop": {"end": "reset"}, "hang": {"end": "silence"},
         "malformed": {"broken": True}, "truncate": {"text": "This is cut in the mid", "stop": "max_tokens"},
         "refuse": {"text": "", "stop": "refusal"}}
ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
CHAT_STOP = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
SHELLS = ("Bash", "bash")  # claude's and ours
serial = itertools.count(1)


# --- What is asked ----------------------------------------------------------------------------------------------------

def prompts(request):
    """What the user said, the last first. Reminders that the program itself adds count with what they stand beside."""
    for message in reversed(asked(request).get("messages", [])):
        if message["role"] == "user":
            content = message["content"]
            yield content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def offered(request):
    return [(tool.get("function") or tool).get("name") for tool in asked(request).get("tools", [])]


def key_of(request):
    headers = dict(request["headers"])
    return headers.get("x-api-key") or headers.get("authorization")


def steps_in(prompt):
    """The steps that a prompt carries; none if it carries none."""
    text = prompt.partition("FAKE(")[2]
    if text.startswith(("[", "{")):
        steps = json.JSONDecoder().raw_decode(text)[0]
        return steps if isinstance(steps, list) else [steps]
    return [step_of(word) for word in text.partition(")")[0].split()]


def step_of(word):
    name, _, value = word.partition("=")
    if name == "middle":
        return {"middle": value}
    return {"status": int(word)} if word.isdigit() else WORDS[word]


# --- What is answered: a step becomes a rule of scripted_http.py ------------------------------------------------------

def calls_of(step, request):
    calls = [step["tool"]] if "tool" in step else []
    if "write" in step:
        calls.append(["Write", dict(zip(("file_path", "content"), step["write"]))])
    if "shell" in step:
        calls.append([next(name for name in offered(request) if name in SHELLS), {"command": step["shell"]}])
    return calls


def answer_of(step, request):
    number = next(serial)
    calls = calls_of(step, request)
    text = step.get("text", "" if calls else "OK")
    stop = step.get("stop", "tool_use" if calls else "end_turn")
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0,
             **step.get("usage", {})}
    if is_chat(request):
        made = [{"index": i, "id": f"call_{number}_{i}", "type": "function",
                 "function": {"name": name, "arguments": json.dumps(given)}} for i, (name, given) in enumerate(calls)]
        return {"id": f"chatcmpl-{number}", "text": text, "stop_reason": CHAT_STOP[stop],
                "more": {"tool_calls": made} if made else {},
                "usage": {"prompt_tokens": usage["input_tokens"], "completion_tokens": usage["output_tokens"]}}
    blocks = [{"type": "thinking", "thinking": step["thinking"], "signature": "c2ln"}] if "thinking" in step else []
    blocks += [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": f"toolu_{number}_{i}", "name": name, "input": given}
               for i, (name, given) in enumerate(calls)]
    return {"id": f"msg_{number}", "blocks": blocks, "stop_reason": stop, "usage": usage}


def broken(rule, request):
    """The same, but the JSON half-way breaks off."""
    body, kind, _ = body_of(rule, request)
    lines = body.decode().split("\n")
    filled = [i for i, line in enumerate(lines) if "{" in line]
    at = filled[len(filled) // 2]
    lines[at] = lines[at][:len(lines[at]) // 2]
    return {"body": "\n".join(lines), "headers": {"content-type": kind}}


def rule_of(step, request):
    if "status" in step:
        status = step["status"]
        error = {"type": ERRORS.get(status, "api_error"), "message": step.get("message", f"A scripted {status}")}
        headers = {"retry-after": str(step["retry_after"])} if "retry_after" in step else {}
        return {"status": status, "error": error, "headers": headers}
    rule = {"answer": answer_of(step, request), "delay": step.get("delay", 0)}
    half = len(body_of(rule, request)[0]) // 2
    if "end" in step:
        rule.update(cut=half, end=step["end"])
    if "middle" in step:
        rule.update(split=half + 1, middle=step["middle"])
    return broken(rule, request) if step.get("broken") else rule


class Model(World):
    def steps_for(self, request):
        for prompt in prompts(request):
            matching = (rule["steps"] for rule in self.rules if rule["match"] in prompt)
            if steps := steps_in(prompt) or next(matching, None):
                return steps
        return [WORDS["ok"]]

    def rule_for(self, request):
        if request["method"] != "POST" or not path_of(request).endswith(("/messages", "/chat/completions")):
            return {"json": {}}  # programs look whether it is there
        steps = self.steps_for(request)
        counted = (key_of(request), json.dumps(steps))
        number = self.used[counted] = self.used.get(counted, 0) + 1
        return rule_of(steps[min(number, len(steps)) - 1], request)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Model())))
