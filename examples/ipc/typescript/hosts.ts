// Finds this user's zubi hosts: which are running, which folders they serve, and which serves a folder best.
//
// A host writes a file into a directory of this user. The file counts only if no other user can have written it, and
// only while the process that wrote it lives.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

// The limit that hosts observe too, in bytes: no host writes a larger file.
const MAX_FILE = 64 * 1024;
const MAX_FILES = 256;
const MAX_SOCKET_PATH = 107;

/** The kinds of hosts by preference, if two serve a folder equally well. */
const KINDS = ["editor", "daemon", "front"] as const;

export const START_A_HOST = "Open the folder in an editor with the zubi extension, or run `zubi serve --detach` in it.";
export const STATUS_HINT = "Look at `zubi status`, and at the log of the host.";

/** An error. `message` describes it, `suggestion` is the next step, `code` is JSON-RPC's code. */
export class IpcError extends Error {
  override readonly name: string = "IpcError";
  readonly suggestion: string;
  readonly code: number | undefined;

  constructor(message: string, suggestion: string = STATUS_HINT, code?: number) {
    super(message);
    this.suggestion = suggestion;
    this.code = code;
  }
}

/** No trustworthy host serves the folder or the port. */
export class NoHost extends IpcError {
  override readonly name = "NoHost";

  constructor(message: string, suggestion: string = START_A_HOST) {
    super(message, suggestion);
  }
}

/** A host's description of itself in its file. `startedAt` is in clock ticks since the machine started. */
export interface Host {
  readonly version: number;
  readonly instance: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly kind: (typeof KINDS)[number];
  readonly workspaceFolders: readonly string[];
  readonly socket: string | undefined;
  readonly port: number | undefined;
  /** 32 bytes in hexadecimal. */
  readonly token: string;
}

export interface Found {
  readonly hosts: Host[];
  /** The reasons why files are not trusted. Files left by dead hosts are in neither list. */
  readonly rejections: string[];
}

/** The directory in which the hosts of this user write their files. */
export function runDirectory(): string {
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  if (path.isAbsolute(runtime) && isOwnBase(runtime)) return path.join(runtime, "zubi");
  const state = process.env["XDG_STATE_HOME"] ?? "";
  const base = path.isAbsolute(state) ? state : path.join(os.homedir(), ".local", "state");
  return path.join(base, "zubi", "run");
}

/** The live hosts whose files can be trusted. */
export function readHosts(directory: string = runDirectory()): Found {
  const found: Found = { hosts: [], rejections: [] };
  let opened: number;
  try {
    opened = open(directory, fs.constants.O_DIRECTORY);
  } catch (error) {
    if (!isMissing(error)) found.rejections.push(`${printable(directory)}: ${reason(error)}`);
    return found;
  }
  try {
    const rejection = rejectionReason(fs.fstatSync(opened), "directory");
    if (rejection !== undefined) {
      found.rejections.push(`${printable(directory)}: it ${rejection}; \`chmod 700\` it if it is yours`);
      return found;
    }
    readAll(`/proc/self/fd/${opened}`, found);
  } finally {
    fs.closeSync(opened);
  }
  return found;
}

/** Reads the files of a directory through its open handle, so that no other directory can replace it. */
function readAll(directory: string, found: Found): void {
  const names = fs.readdirSync(directory).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  names.sort();
  for (const name of names.slice(0, MAX_FILES)) {
    try {
      const host = parse(readOwn(path.join(directory, name)));
      if (typeof host === "string") found.rejections.push(`${printable(name)}: ${host}`);
      else if (isAlive(host)) found.hosts.push(host);
    } catch (error) {
      // A host may have ended since the directory was listed.
      if (!isMissing(error)) found.rejections.push(`${printable(name)}: ${reason(error)}`);
    }
  }
  if (names.length > MAX_FILES) {
    found.rejections.push(`${names.length - MAX_FILES} files beyond the first ${MAX_FILES}`);
  }
}

/**
 * The host that serves `workspace` (or the current directory) best: the deepest folder, then an editor, a daemon, a
 * `front`, then the oldest one.
 */
export function findHost(workspace = "."): Host {
  const folder = realpath(workspace);
  const { hosts, rejections } = readHosts();
  const host = choose(hosts, folder);
  if (host !== undefined) return host;
  const others = [...new Set(hosts.flatMap((other) => other.workspaceFolders))].sort();
  throw new NoHost(
    `No zubi host serves ${printable(folder)}.${formatList("Served are", others)}${formatList("Not trusted:", rejections)}`,
  );
}

/** The best of these hosts for a folder. Links in its path must be resolved, as in the folders of hosts. */
export function choose(hosts: readonly Host[], folder: string): Host | undefined {
  const fitting = hosts
    .filter((host) => host.socket !== undefined || host.port !== undefined)
    .map((host) => ({ host, depth: depth(host, folder) }))
    .filter((one): one is { host: Host; depth: number } => one.depth !== undefined);
  fitting.sort(
    (a, b) =>
      b.depth - a.depth ||
      KINDS.indexOf(a.host.kind) - KINDS.indexOf(b.host.kind) ||
      a.host.startedAt - b.host.startedAt ||
      (a.host.instance < b.host.instance ? -1 : 1),
  );
  return fitting[0]?.host;
}

/** The host whose file names the port. */
export function hostOnPort(port: number): Host {
  const { hosts, rejections } = readHosts();
  // If two files name the same port, the older one is outdated.
  const [host] = hosts.filter((one) => one.port === port).sort((a, b) => b.startedAt - a.startedAt);
  if (host !== undefined) return host;
  const ports = hosts.flatMap((other) => (other.port === undefined ? [] : [String(other.port)]));
  throw new NoHost(
    `No file of a host names the port ${port}, so there is no token to prove oneself with.` +
      `${formatList("Hosts listen on", ports)}${formatList("Not trusted:", rejections)}`,
    "Leave `port` out, or take the one that `zubi status --json` shows.",
  );
}

/** The number of path components of the host's folder that contains `folder`; undefined if none does. */
function depth(host: Host, folder: string): number | undefined {
  const inside = components(folder);
  const depths = host.workspaceFolders
    .map(components)
    .filter((own) => own.every((part, index) => part === inside[index]))
    .map((own) => own.length);
  return depths.length === 0 ? undefined : Math.max(...depths);
}

function components(folder: string): string[] {
  return folder.split("/").filter((part) => part !== "");
}

/** Opens a file. Without O_NONBLOCK, opening a named pipe would block until another process writes into it. */
function open(file: string, flags = 0): number {
  return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK | flags);
}

function readOwn(file: string): Buffer {
  const opened = open(file);
  try {
    const rejection = rejectionReason(fs.fstatSync(opened), "regular file");
    if (rejection !== undefined) throw new RejectedFile(`it ${rejection}`);
    const content = Buffer.alloc(MAX_FILE + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < content.length; length += read) {
      read = fs.readSync(opened, content, length, content.length - length, null);
    }
    if (length > MAX_FILE) throw new RejectedFile(`it has more than ${MAX_FILE} bytes`);
    return content.subarray(0, length);
  } finally {
    fs.closeSync(opened);
  }
}

/** The reason why a file is not trusted. */
class RejectedFile extends Error {}

/** The reason why an open file or directory is not private to this user. */
export function rejectionReason(status: fs.Stats, kind: "regular file" | "directory"): string | undefined {
  if (!(kind === "directory" ? status.isDirectory() : status.isFile())) return `is not a ${kind}`;
  if (status.uid !== process.geteuid?.()) return "belongs to another user";
  return (status.mode & 0o077) === 0 ? undefined : "is open to other users";
}

function isOwnBase(directory: string): boolean {
  const status = fs.statSync(directory, { throwIfNoEntry: false });
  return status?.isDirectory() === true && status.uid === process.geteuid?.() && (status.mode & 0o022) === 0;
}

/** Parses a host's file; returns a text if it is invalid. Unknown fields are ignored. */
export function parse(content: Uint8Array): Host | string {
  const record = fromJson(content);
  if (record === undefined) return "it is not JSON";
  if (!isObject(record)) return "it is not an object";
  const { version, instance, pid, startedAt, kind, workspaceFolders, token } = record;
  // Rust omits missing values; null means the same.
  const [socket, port] = [record["socket"] ?? undefined, record["port"] ?? undefined];
  const wrong = (field: string): string => `\`${field}\` is missing or not as it must be`;
  if (!isIntegerBetween(version, 1, 2 ** 32 - 1)) return wrong("version");
  if (typeof instance !== "string" || !/^[0-9A-Za-z_-]{1,64}$/.test(instance)) return wrong("instance");
  if (!isIntegerBetween(pid, 1, 2 ** 31 - 1)) return wrong("pid");
  if (!isIntegerBetween(startedAt, 0, Number.MAX_SAFE_INTEGER)) return wrong("startedAt");
  if (!isKind(kind)) return wrong("kind");
  if (!Array.isArray(workspaceFolders) || !workspaceFolders.every(isAbsolute)) return wrong("workspaceFolders");
  if (socket !== undefined && !isSocketPath(socket)) return wrong("socket");
  if (port !== undefined && !isIntegerBetween(port, 1, 65535)) return wrong("port");
  if (!isKey(token)) return wrong("token");
  return { version, instance, pid, startedAt, kind, workspaceFolders, socket, port, token };
}

/** Decodes bytes as UTF-8 and JSON; undefined if they are neither. */
export function fromJson(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content));
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the file is alive: another process may have reused its id. */
function isAlive(host: Host): boolean {
  try {
    const text = fs.readFileSync(`/proc/${host.pid}/stat`, "latin1");
    // The name of the program, in parentheses, may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] !== "Z" && fields[0] !== "X" && Number(fields[19]) === host.startedAt;
  } catch {
    return false;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value is 32 bytes in hexadecimal, like tokens, nonces and proofs. */
export function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isKind(value: unknown): value is Host["kind"] {
  return KINDS.some((kind) => kind === value);
}

function isSocketPath(value: unknown): value is string {
  return isAbsolute(value) && Buffer.byteLength(value) <= MAX_SOCKET_PATH;
}

function isAbsolute(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/") && !value.includes("\0") && !/\p{Cs}/u.test(value);
}

function isIntegerBetween(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function realpath(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch (error) {
    throw new NoHost(`${printable(folder)} cannot be read: ${reason(error)}.`, "Give a folder that is there.");
  }
}

/** Resolves a path for a process with another current directory. `..` stays: its meaning depends on the disk. */
export function absolute(file: string): string {
  try {
    return path.isAbsolute(file) ? file : `${process.cwd()}/${file}`;
  } catch (error) {
    throw new IpcError(`The current directory cannot be read: ${reason(error)}.`, "Give absolute paths.");
  }
}

/** An error's message, without the path. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return "it failed";
  if ("code" in error && error.code === "ELOOP") return "it is a link";
  // Node: `EACCES: permission denied, open '…'`.
  return error instanceof RejectedFile
    ? error.message
    : (/^E[A-Z0-9]+: ([^,]*)/.exec(error.message)?.[1] ?? error.message);
}

/** Foreign text for a terminal: without control characters, and of limited length. */
export function printable(text: unknown): string {
  return typeof text === "string" ? text.slice(0, 1000).replace(/(?! )[\p{C}\p{Z}]/gu, "\ufffd") : "(no message)";
}

/** The first three items as the end of a message; empty for an empty list. */
function formatList(heading: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  const more = items.length > 3 ? ` and ${items.length - 3} more` : "";
  return ` ${heading} ${items.slice(0, 3).map(printable).join("; ")}${more}.`;
}
