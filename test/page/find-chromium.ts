/** Finds Chromium, and installs Debian's where that is possible. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { systemProcess } from '../../src/lib/process.node.ts';
import { installMissing } from '../../tools/install-missing.ts';

const root = resolve(import.meta.dirname, '../..');

/** Debian's name first; the others are those of other distributions, and of Google's build. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of a Chromium on this machine. */
export function findChromium(path = process.env['PATH'] ?? ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

/**
 * Why there is no Chromium here and can be none; undefined: there is one, perhaps from now on. It comes from Debian's archive, once: 113 MB.
 *
 * @param say receives a line of progress
 */
export async function whyNoChromium(say: (text: string) => void): Promise<string | undefined> {
  if (findChromium() !== undefined) return undefined;
  if (process.platform !== 'linux') return 'there is no Chromium: install it';
  if (spawnSync('sh', ['-c', 'command -v apt-get']).status !== 0)
    return 'there is no Chromium, and no apt-get to install it';
  if (process.getuid?.() !== 0) return 'there is no Chromium, and to install it needs root (apt-get install chromium)';
  const folder = join(root, '.cache/page');
  mkdirSync(folder, { recursive: true });
  const context = {
    process: systemProcess,
    say,
    stop: new AbortController().signal,
    logFile: join(folder, 'apt.log'),
  };
  try {
    // A page without any font would be a page of boxes.
    await installMissing({ chromium: 'chromium', '/usr/share/fonts/truetype/dejavu': 'fonts-dejavu-core' }, context);
    return undefined;
  } catch (error) {
    const [first = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return `Chromium cannot be installed: ${first}`;
  }
}

if (import.meta.main) {
  const why = await whyNoChromium((text) => console.log(`set-up: ${text}`));
  if (why !== undefined) console.log(`set-up: ${why}`);
}
