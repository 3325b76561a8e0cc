import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accessProblem } from './access-problem.node.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-access-'));
  chmodSync(folder, 0o755);
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** As somebody whom modes bind: the machine's tests run as root, for whom all is writable. */
function asNobody(paths: readonly string[]): string {
  // What is imported may lie where nobody else may read: it is loaded first.
  const script = `import { accessProblem } from ${JSON.stringify(new URL('./access-problem.node.ts', import.meta.url).pathname)};
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY}); }
    process.stdout.write(String(accessProblem(${JSON.stringify(paths)})));`;
  const run = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  return run.stdout;
}

it('says nothing of what may be read and written, or is not there', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(accessProblem([folder, file, join(folder, 'none')])).toBeUndefined();
});

it.each([
  ['file', 0o400],
  ['file', 0o000],
  ['folder', 0o500],
  ['folder', 0o600],
])('names a %s of mode %i with owner and mode', (kind, mode) => {
  const path = join(folder, kind);
  if (kind === 'file') writeFileSync(path, '');
  else mkdirSync(path);
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  chmodSync(path, mode);
  const owner = isRoot ? NOBODY : (process.getuid?.() ?? 0);
  const octal = mode.toString(8).padStart(4, '0');
  expect(asNobody([join(folder, 'none'), path])).toBe(
    `${path} may not be read and written by user ${owner}: it is of user ${owner}, mode ${octal}`,
  );
  chmodSync(path, 0o700);
});
