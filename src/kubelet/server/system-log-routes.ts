/**
 * /logs/: files and folders of the node's log folder, as upstream's file server shows them. Symbolic links are resolved by
 * our own code, and none may lead out of the folder. The result is opened without following any link, in case it is exchanged
 * meanwhile.
 */
import { encodeText, FileError, type FileSystem, type HttpResponse, type OpenFile } from '../../lib/index.ts';
import { LOG_CHUNK_BYTES, MAX_LINKS } from './limits.ts';
import { RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export type SystemLogFiles = Pick<FileSystem, 'openBelow' | 'openFileBelow' | 'readdir' | 'readlink' | 'stat'>;

const ROOT = '/var/log';

/** `isEnabled`: the setting `enableSystemLogHandler`. */
export function systemLogRoutes(fs: SystemLogFiles, isEnabled: boolean): readonly Route[] {
  const answer = async (call: RouteCall): Promise<HttpResponse> => {
    if (!isEnabled) throw new RequestError(405, 'logs endpoint is disabled.');
    return show(fs, call);
  };
  return [{ path: '/logs', below: true, methods: ['GET'], debugging: true, answer }];
}

async function show(fs: SystemLogFiles, { request, parts }: RouteCall): Promise<HttpResponse> {
  const asked = parts.slice(1);
  if (asked.some((part) => part === '.' || part === '..' || /[/\0]/.test(part))) {
    throw new RequestError(400, 'invalid URL path');
  }
  const path = await resolve(fs, asked);
  const info = path === undefined ? undefined : await fs.stat(path);
  if (path === undefined || info === undefined) throw new RequestError(404, '404 page not found');
  if (info.type === 'directory') return listing(await names(fs, path));
  if (info.type !== 'file') throw new RequestError(403, 'not a file');
  const below = path.slice(ROOT.length + 1);
  // Looked at before the answer begins, and opened again when a client reads it.
  const file = await openLog(fs, below);
  const size = await file.size();
  await file.close();
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  return { status: 200, headers, body: content(fs, below, size, request.signal) };
}

async function names(fs: SystemLogFiles, path: string): Promise<readonly string[]> {
  if (path === ROOT) return await fs.readdir(path);
  const folder = await refusing(() => fs.openBelow(ROOT, path.slice(ROOT.length + 1), {}));
  try {
    return await fs.readdir(folder.path);
  } finally {
    await folder.close();
  }
}

async function openLog(fs: SystemLogFiles, below: string): Promise<OpenFile> {
  const file = await refusing(() => fs.openFileBelow(ROOT, below));
  if (file === undefined) throw new RequestError(404, '404 page not found');
  return file;
}

/** Anything but a plain file, or a file that was exchanged for a link since it was looked at. */
async function refusing<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'ENOENT') throw new RequestError(404, '404 page not found');
    throw new RequestError(403, error.message);
  }
}

/** The real path below the root; `undefined`: there is nothing, or a link leads elsewhere. */
async function resolve(fs: SystemLogFiles, parts: readonly string[]): Promise<string | undefined> {
  let left = [...parts];
  let path = ROOT;
  for (let links = 0; left.length > 0; ) {
    const [next = '', ...rest] = left;
    left = rest;
    if (next === '' || next === '.') continue;
    if (next === '..') {
      if (path === ROOT) return undefined;
      path = path.slice(0, path.lastIndexOf('/'));
      continue;
    }
    const info = await fs.stat(`${path}/${next}`);
    if (info === undefined) return undefined;
    if (info.type !== 'symlink') {
      path = `${path}/${next}`;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    const target = await fs.readlink(`${path}/${next}`);
    if (target.startsWith('/')) {
      if (target !== ROOT && !target.startsWith(`${ROOT}/`)) return undefined;
      path = ROOT;
      left = [...target.slice(ROOT.length).split('/'), ...left];
    } else left = [...target.split('/'), ...left];
  }
  return path;
}

function listing(names: readonly string[]): HttpResponse {
  const lines = names.toSorted().map((name) => `<a href="${encodeURIComponent(name)}">${escaped(name)}</a>\n`);
  const body = encodeText(
    `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`,
  );
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** As long as the file was when it was asked for: one that grows has no end. */
async function* content(
  fs: SystemLogFiles,
  below: string,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const file = await openLog(fs, below);
  try {
    for (let at = 0; at < size; ) {
      signal?.throwIfAborted();
      const chunk = await file.readAt(at, Math.min(LOG_CHUNK_BYTES, size - at));
      if (chunk.length === 0) return;
      at += chunk.length;
      yield chunk;
    }
  } finally {
    await file.close();
  }
}
