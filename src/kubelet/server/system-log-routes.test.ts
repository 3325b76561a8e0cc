import { expect, it } from 'vitest';
import { decodeText, encodeText, type FileInfo, readAll } from '../../lib/index.ts';
import { memoryOpenFile } from '../../../test/support/memory-open-file.ts';
import { RequestError } from './responses.ts';
import { parseCall } from './routes.ts';
import { type SystemLogFiles, systemLogRoutes } from './system-log-routes.ts';

/** Path → content of a file, "-> TARGET" of a link; folders are what is above. */
const TREE: Readonly<Record<string, string>> = {
  '/var/log/syslog': 'line\n',
  '/var/log/pods/a_b_c/app/0.log': 'hello\n',
  '/var/log/containers/app.log': '-> /var/log/pods/a_b_c/app/0.log',
  '/var/log/containers/rel.log': '-> ../pods/./a_b_c/app/0.log',
  '/var/log/shadow': '-> /etc/shadow',
  '/var/log/up': '-> ../../etc',
  '/var/log/logs': '-> /var/logs',
  '/var/log/loop': '-> loop',
  '/var/logs/x': 'no',
  '/etc/shadow': 'secret',
};

const fs: SystemLogFiles = {
  stat: async (path) => {
    const info = { size: (TREE[path] ?? '').length, mode: 0, uid: 0, gid: 0, mtimeMs: 0 };
    const type = (kind: FileInfo['type']): FileInfo => ({ type: kind, ...info });
    if (TREE[path] !== undefined) return type(TREE[path].startsWith('-> ') ? 'symlink' : 'file');
    return Object.keys(TREE).some((each) => each.startsWith(`${path}/`)) ? type('directory') : undefined;
  },
  readlink: async (path) => (TREE[path] ?? '').slice(3),
  readdir: async (path) => [
    ...new Set(
      Object.keys(TREE).flatMap((each) =>
        each.startsWith(`${path}/`) ? [each.slice(path.length + 1).split('/')[0] ?? ''] : [],
      ),
    ),
  ],
  openBelow: async (folder, below) => ({ path: `${folder}/${below}`, type: 'directory', close: async () => {} }),
  openFileBelow: async (folder, below) => {
    const file = memoryOpenFile(() => encodeText(TREE[`${folder}/${below}`] ?? ''));
    return { ...file, readAt: (offset, length) => file.readAt(offset, Math.min(length, 3)) };
  },
};

async function get(url: string): Promise<string> {
  const [route] = systemLogRoutes(fs, true);
  try {
    const answer = await route?.answer?.(parseCall({ method: 'GET', url, headers: {} }));
    return answer === undefined ? '' : decodeText(await readAll(answer.body, 1e5));
  } catch (error) {
    if (error instanceof RequestError) return String(error.status);
    throw error;
  }
}

it.each([
  ['/logs/syslog', 'line\n'],
  ['/logs/pods/a_b_c/app/0.log', 'hello\n'],
  ['/logs/containers/app.log', 'hello\n'],
  ['/logs/containers/rel.log', 'hello\n'],
  ['/logs/nothing', '404'],
  ['/logs/shadow', '404'],
  ['/logs/up/shadow', '404'],
  ['/logs/logs/x', '404'],
  ['/logs/loop', '404'],
  ['/logs/../../etc/shadow', '400'],
  ['/logs/syslog%00', '400'],
])('%s: %j', async (url, expected) => {
  expect(await get(url)).toBe(expected);
});

it('lists a folder', async () => {
  expect(await get('/logs/containers/')).toContain('<a href="app.log">app.log</a>\n<a href="rel.log">rel.log</a>');
});
