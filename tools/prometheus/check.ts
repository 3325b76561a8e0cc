/** Has promtool check the rules and the configuration of `deploy/prometheus`, and run the tests of the rules. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { debianPackages } from '../debian.ts';

const root = resolve(import.meta.dirname, '..', '..');

/** The machine's own, else Debian's, which is installed nowhere. */
function promtool(): string {
  const own = spawnSync('promtool', ['--version']);
  if (own.status === 0) return 'promtool';
  return join(debianPackages('bookworm', ['prometheus'])['prometheus'] ?? '', 'usr', 'bin', 'promtool');
}

const folder = mkdtempSync(join(tmpdir(), 'mendlet-prometheus-'));
try {
  cpSync(join(root, 'deploy', 'prometheus'), folder, { recursive: true });
  cpSync(join(import.meta.dirname, 'rules.test.yaml'), join(folder, 'rules.test.yaml'));
  // The configuration names them, and promtool asks whether they are there.
  for (const name of ['token', 'ca.crt']) writeFileSync(join(folder, name), '');
  const program = promtool();
  const calls = [
    ['check', 'rules', 'rules.yaml'],
    ['check', 'config', 'prometheus.yaml'],
    ['test', 'rules', 'rules.test.yaml'],
  ];
  const failed = calls.filter((args) => spawnSync(program, args, { cwd: folder, stdio: 'inherit' }).status !== 0);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
