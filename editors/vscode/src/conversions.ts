// Conversions of VS Code's values to LSP's that the language client does not have.
import * as vscode from "vscode";
import type { Code2ProtocolConverter } from "vscode-languageclient/node";
import type { LocationLink } from "vscode-languageserver-protocol";

/** Providers answer with locations, with links, or (several at once) with both; LSP has room for one kind in an answer. */
export function asLocationLinks(
  convert: Pick<Code2ProtocolConverter, "asUri" | "asRange">,
  found: readonly (vscode.Location | vscode.LocationLink)[],
): LocationLink[] {
  return found.map((place) => {
    if (!("targetUri" in place)) {
      const range = convert.asRange(place.range);
      return { targetUri: convert.asUri(place.uri), targetRange: range, targetSelectionRange: range };
    }
    const targetRange = convert.asRange(place.targetRange);
    const link: LocationLink = {
      targetUri: convert.asUri(place.targetUri),
      targetRange,
      targetSelectionRange: place.targetSelectionRange ? convert.asRange(place.targetSelectionRange) : targetRange,
    };
    if (place.originSelectionRange) link.originSelectionRange = convert.asRange(place.originSelectionRange);
    return link;
  });
}
