// Questions of zubi's policy to the user.
import * as vscode from "vscode";
import type { Part } from "./channel.ts";
import { APPROVAL_REQUEST, type ApprovalRequestParams as Asked, type ApprovalRequestResult as Answer } from "./protocol.ts";

/** Shows each in a dialog. Whoever closes it has said no. */
export const approvals: Part = {
  attach: (client) => client.onRequest(APPROVAL_REQUEST, async ({ title, detail, options }: Asked): Promise<Answer> => {
    const items = options.map((option) => ({ title: option }));
    const chosen = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...items);
    return { choice: chosen === undefined ? null : items.indexOf(chosen) };
  }),
};
