/**
 * `npm run bench:hostile`: measures how long honest clients wait during attacks. Each attack gets a bundled server behind TLS, as
 * users run it; attacker and honest client are separate processes.
 *
 *   npm run bench:hostile -- [--only NAME,…] [--program DIR] [--after-seconds 5] [--together [--rest-minutes N]] [--json FILE]
 *
 * --program: another bundle for a comparison; --together: all attacks on one server, one after the other, to see its memory;
 * --rest-minutes: then everything that they left is deleted, and the server's memory is read each minute.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { percentile, processUsage } from './figures.ts';
import { AttackerClient } from './hostile/attacker-client.ts';
import { ATTACKS, LEFT_BEHIND } from './hostile/attacks.ts';
import { readCredentials } from './hostile/credentials.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    program: { type: 'string', default: join(import.meta.dirname, '../../dist') },
    'after-seconds': { type: 'string', default: '5' },
    together: { type: 'boolean', default: false },
    'rest-minutes': { type: 'string', default: '0' },
    json: { type: 'string' },
  },
});
const names = values.only?.split(',') ?? Object.keys(ATTACKS);
const unknown = names.filter((name) => !Object.hasOwn(ATTACKS, name));
if (unknown.length > 0)
  throw new Error(`no such attack: ${unknown.join(', ')}; there are ${Object.keys(ATTACKS).join(', ')}`);
const restMinutes = Number(values['rest-minutes']);
const afterMs = Number(values['after-seconds']) * 1000;
const here = join(import.meta.dirname, 'hostile');

interface Server {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly kubeconfig: string;
  readonly observed: string;
}

interface Observation {
  readonly at: number;
  readonly pauseMs: number;
  readonly rss: number;
}

interface Probes {
  readonly livez: readonly number[];
  readonly lease: readonly number[];
  readonly failures: readonly string[];
  readonly failed: number;
}

async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'mendlet-hostile-'));
  const observed = join(folder, 'loop.jsonl');
  const dataDir = join(folder, 'data');
  const args = ['server', '--data-dir', dataDir, '--listen', `127.0.0.1:${await freePort()}`];
  const child = spawn(
    process.execPath,
    ['--import', join(here, 'loop-observer.ts'), join(values.program, 'mendlet.js'), ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, MENDLET_LOOP_OBSERVER: observed, NODE_NO_WARNINGS: '1' },
    },
  );
  keep(child);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-5000);
  });
  child.on('exit', (code, signal) => {
    if (signal !== 'SIGTERM' && code !== 0) console.error(`the server ended (${code ?? signal}):\n${log}`);
  });
  const kubeconfig = join(dataDir, 'kubeconfig');
  child.stdout.resume();
  for (let i = 0; !existsSync(kubeconfig); i++) {
    if (i > 600 || child.exitCode !== null) throw new Error(`the server did not start:\n${log}`);
    await sleep(100);
  }
  await sleep(3000);
  return { process: child, folder, kubeconfig, observed };
}

/** Processes that the bench has started, and ends with itself. */
const started = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of started) child.kill('SIGKILL');
    process.exit(1);
  });

function keep(child: ChildProcess): void {
  started.add(child);
  child.once('exit', () => started.delete(child));
}

async function stopServer(server: Server): Promise<void> {
  const ended = once(server.process, 'exit');
  server.process.kill('SIGTERM');
  await ended;
  rmSync(server.folder, { recursive: true, force: true });
}

interface Result {
  readonly name: string;
  readonly seconds: number;
  /** Latencies: p50, p99, p99.9 and the maximum, ms. */
  readonly livez: readonly number[];
  readonly leaseMaxMs: number;
  readonly failed: number;
  readonly failures: readonly string[];
  readonly pauseMs: number;
  readonly rssMiB: { readonly before: number; readonly peak: number; readonly after: number };
  /** The answers to the attacker. */
  readonly answers: unknown;
}

async function measure(server: Server, name: string): Promise<Result> {
  const attacker = spawn(process.execPath, [join(here, 'attacker.ts'), server.kubeconfig, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  keep(attacker);
  const said = createInterface({ input: attacker.stdout })[Symbol.asyncIterator]();
  await said.next();
  await sleep(1500);
  const rss = (): number => processUsage(server.process.pid ?? 0).rssMiB;
  const before = rss();
  const prober = spawn(process.execPath, [join(here, 'prober.ts'), server.kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  keep(prober);
  await once(prober.stderr, 'data');
  const probed = createInterface({ input: prober.stdout })[Symbol.asyncIterator]();
  await sleep(1000);
  const from = Date.now();
  attacker.stdin.write('now\n');
  const answer = await said.next();
  const until = Date.now() + 300;
  await sleep(500);
  prober.kill('SIGTERM');
  const probes = JSON.parse((await probed.next()).value as string) as Probes;
  await sleep(afterMs);
  const during = readFileSync(server.observed, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Observation)
    .filter(({ at }) => at >= from && at <= until + 2000);
  const result: Result = {
    name,
    seconds: (until - from) / 1000,
    livez: [0.5, 0.99, 0.999, 1].map((share) => percentile(probes.livez, share)),
    leaseMaxMs: Math.max(...probes.lease),
    failed: probes.failed,
    failures: probes.failures,
    pauseMs: Math.max(...during.map(({ pauseMs }) => pauseMs)),
    rssMiB: { before, peak: Math.max(...during.map(({ rss: bytes }) => bytes / 1024 ** 2)), after: rss() },
    answers: answer.done === true ? 'none' : JSON.parse(answer.value),
  };
  report(result);
  return result;
}

function report(result: Result): void {
  const { name, livez, pauseMs, rssMiB, leaseMaxMs, failed, answers, seconds } = result;
  const ms = (value: number): string => value.toFixed(0).padStart(6);
  const { before, peak, after } = rssMiB;
  console.log(
    `${name.padEnd(18)}${livez.map(ms).join('')}${ms(leaseMaxMs)}${ms(pauseMs)}   ${ms(before)}${ms(peak)}${ms(after)}` +
      `   ${seconds.toFixed(1).padStart(5)} s ${failed > 0 ? `${failed} FAILED ` : ''}${JSON.stringify(answers)}`,
  );
}

/** How memory falls when the attackers and all that they made are gone. */
async function rest({ kubeconfig, process: { pid = 0 } }: Server): Promise<void> {
  const client = new AttackerClient(readCredentials(kubeconfig));
  for (const collection of LEFT_BEHIND) {
    const { code } = await client.send('DELETE', `${collection}?gracePeriodSeconds=0`);
    if (code !== 200) throw new Error(`DELETE ${collection}: ${code}`);
  }
  client.close();
  for (let minute = 0; minute <= restMinutes; minute++) {
    const { rssMiB } = processUsage(pid);
    console.log(`rest, minute ${minute}: ${rssMiB.toFixed(0)} MiB, ${(rssMiB / freshRssMiB).toFixed(2)} of fresh`);
    if (minute < restMinutes) await sleep(60_000);
  }
}

console.log(`${'ms'.padEnd(18)}   p50   p99 p99.9   max lease pause   RSS MiB: before, peak, after`);
const results: unknown[] = [];
const shared = values.together ? await startServer() : undefined;
const freshRssMiB = shared === undefined ? 0 : processUsage(shared.process.pid ?? 0).rssMiB;
for (const name of names) {
  const server = shared ?? (await startServer());
  try {
    results.push(await measure(server, name));
  } finally {
    if (shared === undefined) await stopServer(server);
  }
}
if (shared !== undefined) {
  if (restMinutes > 0) await rest(shared);
  await stopServer(shared);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`);
process.exit(0);
