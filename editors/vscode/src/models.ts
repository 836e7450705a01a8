// The models of the editor's extensions, for zubi's agent. The Rust side interprets their answers.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ChannelFeature } from "./channel.ts";
import { message, sendable } from "./failure.ts";
import * as protocol from "./protocol.ts";

/** The reason in the editor's consent dialog for using a model. */
const justification = "zubi's agent uses this model for the task that you gave it.";

/** Answers requests for the editor's models. */
export const models: ChannelFeature = {
  attach: (client) =>
    vscode.Disposable.from(
      client.onRequest(protocol.MODEL_LIST, async (): Promise<protocol.ModelListResult> => {
        const listed = await vscode.lm.selectChatModels();
        return {
          models: listed.map(({ id, vendor, family, name, maxInputTokens }) => ({
            id,
            vendor,
            family,
            name,
            maxInputTokens,
          })),
        };
      }),
      client.onRequest(protocol.MODEL_REQUEST, requestModel.bind(undefined, client)),
    ),
};

async function requestModel(
  client: Pick<LanguageClient, "sendNotification">,
  { id, vendor, messages, tools, maxOutput, token }: protocol.ModelRequestParams,
  cancellation: vscode.CancellationToken,
): Promise<protocol.ModelRequestResult> {
  const answer = { text: "", thought: "" };
  const calls: protocol.ModelCall[] = [];
  const sendDelta = (kind: "text" | "thought", delta: string): void => {
    answer[kind] += delta;
    void client.sendNotification(protocol.MODEL_DELTA, { token, [kind]: delta });
  };
  try {
    const [model] = await vscode.lm.selectChatModels({ id, vendor });
    if (model === undefined) throw vscode.LanguageModelError.NotFound(`there is no model ${vendor}/${id}`);
    // The name that most extensions use for this option.
    const modelOptions = maxOutput === undefined ? {} : { max_tokens: maxOutput };
    const options = {
      justification,
      modelOptions,
      tools: tools.map((tool) => ({ ...tool, inputSchema: tool.inputSchema as object })),
    };
    const { stream } = await model.sendRequest(messages.map(messageOf), options, cancellation);
    for await (const part of stream) {
      if (part instanceof vscode.LanguageModelTextPart) sendDelta("text", part.value);
      else if (part instanceof vscode.LanguageModelToolCallPart)
        calls.push({ id: part.callId, name: part.name, input: sendable(part.input) });
      else for (const thought of thoughts(part)) sendDelta("thought", thought);
    }
    return { ...answer, calls };
  } catch (error) {
    // The extension's own error is more specific than its wrapper.
    const { code, name, cause } = error as Partial<vscode.LanguageModelError>;
    const original = cause instanceof Error ? cause : undefined;
    const errorCode = code === undefined || code === "Unknown" || code === "" ? (original?.name ?? name) : code;
    return { ...answer, calls: [], error: { code: errorCode ?? "", message: message(original ?? error) } };
  }
}

/** A model's reasoning: a part, unknown to older editors, with one or several texts. */
function thoughts(part: unknown): readonly string[] {
  const { value } = (part ?? {}) as { readonly value?: unknown };
  return (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === "string");
}

function messageOf({ role, parts }: protocol.ModelMessage): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === "user" ? User : Assistant, parts.map(partOf));
}

function partOf({
  text = "",
  call,
  outcome,
}: protocol.ModelPart):
  vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart | vscode.LanguageModelToolResultPart {
  if (call) return new vscode.LanguageModelToolCallPart(call.id, call.name, call.input as object);
  if (outcome)
    return new vscode.LanguageModelToolResultPart(outcome.id, [new vscode.LanguageModelTextPart(outcome.text)]);
  return new vscode.LanguageModelTextPart(text);
}
