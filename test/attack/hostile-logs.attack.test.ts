/** Tests readers of logs while a pod with its log folder mounted replaces the files in it as fast as it can. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLogTail } from '../../src/kubelet/deaths/log-tail.ts';
import { readTerminationMessage } from '../../src/kubelet/execute/termination-message.ts';
import { LogRotation } from '../../src/kubelet/logs/log-rotation.ts';
import { readLog } from '../../src/kubelet/server/log-reader.ts';
import { systemClock } from '../../src/lib/clock.node.ts';
import { systemFileSystem } from '../../src/lib/file-system.node.ts';
import { concatBytes, decodeText, FileError, silentLogger } from '../../src/lib/index.ts';
import { systemProcess } from '../../src/lib/process.node.ts';
import { inShort } from './extent.ts';

const SECRET = 'top-secret';
const LINE = `2026-01-01T00:00:00Z stdout F ${SECRET}\n`;
const ROUNDS = inShort(60, 5000);

let root = '';
let folder = '';
let log = '';
let attacker: ChildProcess | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-hostile-'));
  folder = join(root, 'pods', 'ns_pod_uid', 'main');
  log = join(folder, '0.log');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(root, 'elsewhere'));
  for (const name of ['secret', 'elsewhere/0.log', 'elsewhere/0.log.20200101-000000'])
    writeFileSync(join(root, name), LINE.repeat(20));
  writeFileSync(log, '2026-01-01T00:00:00Z stdout F mine\n');
  const script = `
    cd "$1/pods/ns_pod_uid" || exit 1
    put() { rm -rf main/0.log 2>/dev/null; }
    while true; do
      put; ln -s "$1/secret" main/0.log
      put; ln "$1/secret" main/0.log
      put; mkfifo main/0.log
      put; mkdir main/0.log
      put; printf '2026-01-01T00:00:00Z stdout F mine\\n' >main/0.log
      ln -sf "$1/secret" main/0.log.20200101-000000
      ln -sf "$1/secret" main/0.log.20200101-000000.gz
      mv main aside; ln -s "$1/elsewhere" main; rm main; mv aside main
    done 2>/dev/null`;
  attacker = spawn('sh', ['-c', script, 'sh', root], { stdio: 'ignore' });
});
afterEach(async () => {
  const ended = new Promise((done) => attacker?.on('exit', done));
  attacker?.kill('SIGKILL');
  await ended;
  // A command that the shell had just begun may still create files.
  await rm(root, { recursive: true, force: true, maxRetries: 20 });
});

const REFUSALS = ['ELOOP', 'EINVAL', 'EMLINK', 'ENOTDIR', 'ENOENT', 'EISDIR', 'ESTALE'];

/** The result of a reader; a refusal must be one for the attacker's changes. */
async function tried(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    expect(REFUSALS).toContain(error.code);
    return '';
  }
}

async function wholeLog(): Promise<string> {
  const source = {
    clock: systemClock,
    fs: systemFileSystem,
    path: log,
    isRunning: () => false,
    isEnding: () => false,
    endedAt: () => 0,
    signal: new AbortController().signal,
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLog(source, { follow: false, previous: false, timestamps: false })) chunks.push(chunk);
  return decodeText(concatBytes(chunks));
}

describe('while a pod exchanges its log for links, pipes and folders', () => {
  it.each<[string, () => Promise<string>]>([
    ['logs', wholeLog],
    ['the black box', async () => (await readLogTail(systemFileSystem, log, { lines: 10, bytes: 1000 }))?.tail ?? ''],
    [
      'termination messages',
      () => readTerminationMessage(systemFileSystem, { path: join(root, 'none'), logPath: log, fallbackToLogs: true }),
    ],
  ])('%s show no other file, wait for nobody and leave nothing open', async (_, read) => {
    const before = readdirSync('/proc/self/fd').length;
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) seen.add(await tried(read));
    expect([...seen].join('')).not.toContain(SECRET);
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });

  it('rotation compresses, moves and writes to no other file', async () => {
    const content = (): string =>
      ['secret', 'elsewhere/0.log'].map((name) => readFileSync(join(root, name), 'utf8')).join('');
    const before = content();
    const end = new AbortController();
    const rotation = new LogRotation({
      clock: systemClock,
      logger: silentLogger,
      fs: systemFileSystem,
      process: systemProcess,
      runtime: { reopenContainerLog: async () => {} },
      settings: { maxSizeBytes: 10, maxFiles: 3, monitorIntervalMs: 5 },
      runningContainers: () => [{ id: 'c1', logPath: log }],
    });
    const running = rotation.run(end.signal);
    await new Promise((done) => setTimeout(done, inShort(1000, 30_000)));
    end.abort();
    await running;
    expect(content()).toBe(before);
    expect(readdirSync(join(root, 'elsewhere')).toSorted()).toEqual(['0.log', '0.log.20200101-000000']);
  });
});
