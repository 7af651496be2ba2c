// Carries out one task of a workspace: example PROJECT TASK-ID
//
// With ANTHROPIC_API_KEY it asks a model; without, the client is a mock that needs no key and costs nothing. One of
// your own is a class with one method.
#include <baton/baton.h>

#include <iostream>

namespace {

std::shared_ptr<baton::Client> client() {
  if (baton::HttpClientConfig http = baton::http_config_from_environment(); !http.api_key.empty()) {
    return std::make_shared<baton::HttpClient>(std::move(http));
  }
  return std::make_shared<baton::MockClient>([](const baton::ClientRequest& request) {
    return baton::ClientResponse{.content = "# A draft by " + request.model + "\n\nIt says what was asked for.\n",
                                 .input_tokens = 100,
                                 .output_tokens = 20};
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: example PROJECT TASK-ID\n";
    return 2;
  }
  baton::ExecutorConfig config = baton::default_config();
  config.project_root = argv[1];
  config.workspace = config.project_root / "workspace";

  const auto loaded = baton::load_task(config.workspace, argv[2]);
  if (const auto* error = std::get_if<baton::ExecutionError>(&loaded)) {
    std::cerr << to_string(error->code) << ": " << error->message << "\n";
    return 1;
  }
  const baton::Executor executor{client(), config};
  const baton::ExecutionResult result = executor.execute(std::get<baton::Task>(loaded));
  if (result.error) std::cerr << to_string(result.error->code) << ": " << result.error->message << "\n";
  if (result.status == baton::ExecutionStatus::failed) return 1;
  std::cout << *result.output_path << ", " << result.tokens_used.total << " tokens\n";
}
