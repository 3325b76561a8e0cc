/** Tries whether a link leads anywhere from this machine, and opens it in a browser. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../lib/index.ts';

const REACH_MS = 3000;
/** How long a browser has to read the file that leads it to the page. */
const OPENING_MS = 10_000;

/** A server on another machine tells of its own loopback, where nobody answers here to that name. */
export async function isReached(origin: string): Promise<boolean> {
  const { hostname, port, host, protocol } = new URL(origin);
  // Beyond loopback a browser finds it as it finds any other.
  if (protocol === 'https:' || !hostname.endsWith('.localhost')) return true;
  return await new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/', method: 'HEAD', headers: { host }, timeout: REACH_MS },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

/**
 * Other users of this machine see the arguments of each program: the browser is given a file that only its own user may read, and
 * the file leads it to the link.
 * @returns why not
 */
export async function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isMac = process.platform === 'darwin';
  if (!isMac && (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') === '') return 'there is no desktop here';
  const folder = linkFolder(env['HOME'], isMac);
  const file = join(folder, 'open.html');
  try {
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, { mode: 0o600 });
    return await opened(isMac ? 'open' : 'xdg-open', file, { env, signal });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Browsers of snap and flatpak see the user's own files, and neither the system's temporary ones nor hidden folders. */
function linkFolder(home: string | undefined, isMac: boolean): string {
  if (!isMac && home !== undefined && home.startsWith('/') && home !== '/') {
    try {
      return mkdtempSync(join(home, 'mendlet-link-'));
    } catch {
      // A home that takes nothing.
    }
  }
  return mkdtempSync(join(tmpdir(), 'mendlet-link-'));
}

interface Opening {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Waits while a browser may need the file. A program that ends without success has opened nothing. */
async function opened(program: string, file: string, { env, signal }: Opening): Promise<string | undefined> {
  const child = spawn(program, [file], { stdio: 'ignore', detached: true, env: { ...env } });
  const failed = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`${program}: ${errorMessage(error)}`));
    child.on('exit', (code, by) => {
      if (code !== 0) resolve(`${program} ended with ${code === null ? by : `exit code ${code}`}`);
    });
  });
  child.unref();
  return await Promise.race([failed, sleep(OPENING_MS, undefined, { signal }).catch(() => undefined)]);
}
