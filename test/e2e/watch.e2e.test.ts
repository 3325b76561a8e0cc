/** Tests `mendlet watch` in a real terminal: the first picture, a death, keys, and that the terminal is as it was; and lines in a pipe. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Pty } from '../support/pty.ts';
import { busyboxPod, Mendlet, root } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 176, flags: ['--service-cidr', '10.123.0.0/16'] });
const poll = { timeout: 60_000, interval: 50 };

beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const program = (): readonly string[] => [
  process.execPath,
  join(root, 'dist/mendlet.js'),
  'watch',
  '--kubeconfig',
  mendlet.kubeconfig,
];

/** The terminal's settings before and after are in files. */
function watchIn(columns: number): Pty {
  const settings = (when: string): string => `stty -g >${mendlet.folder}/${when}-${columns}`;
  const command = `${settings('before')}; ${program().join(' ')}; code=$?; ${settings('after')}; exit $code`;
  return new Pty(command, { columns, rows: 20 });
}

function expectRestored(terminal: Pty, columns: number): void {
  const settings = (when: string): string => readFileSync(`${mendlet.folder}/${when}-${columns}`, 'utf8');
  expect(settings('after')).toBe(settings('before'));
  expect(terminal.raw.trimEnd().endsWith('\u001B[?7h\u001B[?25h\u001B[?1049l')).toBe(true);
}

it('shows a death, why, a pause and a try, on a wide terminal and on a narrow one', async () => {
  const wide = watchIn(110);
  const narrow = watchIn(40);
  try {
    await expect.poll(() => wide.text, poll).toContain('0 pods healthy');
    await mendlet.create(busyboxPod('well', 'sleep 3600'), busyboxPod('sick', 'echo no database; sleep 1; exit 3'));
    await expect.poll(() => wide.text, poll).toMatch(/✓ +default +pod\/well +1\/1 +0 +- +ok/);
    await expect.poll(() => wide.text, poll).toMatch(/↻ .*pod\/sick .*ago.*exit code 3.* in \d+s starts again/);
    await expect.poll(() => narrow.text, poll).toMatch(/↻ +pod\/sick +0\/1 +in \d+s start/);
    wide.type('\r');
    await expect.poll(() => wide.text, poll).toMatch(/1\. container main ends.*no database/);
    wide.type('q');
    // The sick one is above.
    wide.type('p');
    await expect.poll(() => wide.text, poll).toContain('pause the healing of pod/sick in default? y/n');
    wide.type('y');
    await expect.poll(() => wide.text, poll).toContain('healing of the pod is paused');
    await mendlet.untilPod('sick', 'paused', ({ status }) =>
      JSON.stringify(status).includes('"reason":"HealingPaused"'),
    );
    const { restartCount } = (await mendlet.pod('sick')).status?.containerStatuses?.[0] ?? {};
    await expect.poll(() => wide.text, poll).toMatch(/! .*pod\/sick .*Healing is paused by hand/);
    wide.type('ty');
    await expect.poll(() => wide.text, poll).toContain('tried now: container main (HealingPaused)');
    await mendlet.untilPod('sick', 'tried once', ({ status }) => {
      const [main] = status?.containerStatuses ?? [];
      return main?.restartCount === (restartCount ?? 0) + 1 && JSON.stringify(main).includes('HealingPaused');
    });
    expect(await mendlet.events('sick')).toMatch(/HealingPaused: .*TriedNow: |TriedNow: .*HealingPaused: /s);
    wide.type('q');
    expect(await wide.ended).toBe(0);
    expectRestored(wide, 110);
    narrow.type('\u0003');
    expect(await narrow.ended).toBe(0);
    expectRestored(narrow, 40);
  } finally {
    wide.close();
    narrow.close();
  }
});

it('ends with its terminal', async () => {
  const pidFile = `${mendlet.folder}/watch-pid`;
  const terminal = new Pty(`echo $$ >${pidFile}; exec ${program().join(' ')}`, { columns: 80, rows: 20 });
  try {
    await expect.poll(() => terminal.text, poll).toMatch(/pods? healthy/);
  } finally {
    terminal.close();
  }
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => existsSync(`/proc/${pid}`), poll).toBe(false);
});

it('prints a line for each change where there is no terminal', async () => {
  const [command = '', ...args] = program();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const ended = new Promise((done) => child.on('close', done));
  try {
    await expect.poll(() => out, poll).toMatch(/^\d\d:\d\d:\d\d \d pods? healthy/);
    await mendlet.create(busyboxPod('piped', 'exit 4'));
    await expect.poll(() => out, poll).toMatch(/^\d\d:\d\d:\d\d ↻ default pod\/piped 0\/1: .*exit code 4/m);
    expect(out).not.toContain('\u001B');
  } finally {
    child.kill('SIGINT');
  }
  expect(await ended).toBe(0);
});
