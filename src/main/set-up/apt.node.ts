/** Installs packages through apt-get: looks first, adds only, starts nothing. */
import { type SpawnOptions, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from '../../lib/index.ts';
import { UserError } from '../user-error.ts';
import { aptProgress } from './apt-progress.ts';
import { objection, type PackageVersion, parseSimulation } from './apt-simulation.ts';

const POLICY = '/usr/sbin/policy-rc.d';
const POLICY_MARK = '# Made by mendlet';
const SIMULATION_TIMEOUT_MS = 120_000;
const LAST_LINES = 15;
/** `apt-get update` has no option to wait for its lock, as installing has. */
const LOCK_POLL_MS = 1000;
const LOCK_TRIES = 600;

export interface AptContext {
  readonly process: Process;
  /** One line of progress. */
  readonly say: (text: string) => void;
  /** The file for apt-get's own output. */
  readonly logFile: string;
  /** Ends waiting. An apt-get that works is waited for: it must not be torn in the middle of a package. */
  readonly stop: AbortSignal;
}

/**
 * Installs `packages` with what they depend on. Runs `apt-get update` only when a package is not known, or is known in a
 * version that the archive no longer has.
 *
 * @throws UserError when the transaction would touch an installed package, or fails; then nothing was changed, or apt-get
 *   itself says what was
 */
export async function aptInstall(packages: readonly string[], context: AptContext): Promise<void> {
  rmSync(context.logFile, { force: true });
  let plan = await simulate(packages, context);
  let updated = false;
  if (plan === undefined) {
    await update(context);
    if (context.stop.aborted) return;
    updated = true;
    plan = await simulate(packages, context);
    if (plan === undefined) {
      const log = readLog(context.logFile);
      const why = /Failed to fetch|Could not resolve|Temporary failure/.test(log)
        ? 'the package archive cannot be reached; is there a network?'
        : "is your distribution's source in /etc/apt complete?";
      throw new UserError(`apt-get finds no package for one of: ${packages.join(' ')} (${lastLine(log)}); ${why}`);
    }
  }
  if (context.stop.aborted) return;
  sayPlan(packages, plan, context);
  if (await install(packages, context)) return;
  if (!updated && /404 +Not Found|Unable to fetch/.test(readLog(context.logFile))) {
    context.say('the package lists are out of date');
    await update(context);
    if (context.stop.aborted) return;
    await simulate(packages, context);
    if (await install(packages, context)) return;
  }
  throw new UserError(`apt-get install failed:\n${lastLines(context.logFile)}\nThe whole log is in ${context.logFile}`);
}

function sayPlan(packages: readonly string[], plan: readonly PackageVersion[], { say }: AptContext): void {
  const listed = (entries: readonly PackageVersion[]) =>
    entries.map(({ name, version }) => `${name} ${version}`).join(', ');
  const others = plan.filter(({ name }) => !packages.includes(name));
  say(`installing ${listed(plan.filter(({ name }) => packages.includes(name)))}`);
  if (others.length > 0) say(`  and what they need: ${listed(others)}`);
}

/**
 * The packages that would be installed; `undefined` when apt-get does not know a package.
 * @throws UserError when it would do harm
 */
async function simulate(
  packages: readonly string[],
  context: AptContext,
): Promise<readonly PackageVersion[] | undefined> {
  const result = await context.process.run('apt-get', ['-s', ...installOptions, ...packages], {
    timeoutMs: SIMULATION_TIMEOUT_MS,
    env: { LC_ALL: 'C' },
  });
  writeFileSync(context.logFile, `$ apt-get -s install ${packages.join(' ')}\n${result.stdout}${result.stderr}`, {
    flag: 'a',
  });
  if (result.code !== 0) {
    if (/Unable to locate package|has no installation candidate|Couldn't find any package/.test(result.stderr))
      return undefined;
    throw new UserError(
      `apt-get cannot install ${packages.join(' ')}:\n${result.stderr.trim() || result.stdout.trim()}\n` +
        'If a containerd is there already, use it with --runtime unix:///run/containerd/containerd.sock',
    );
  }
  const plan = parseSimulation(result.stdout);
  const why = objection(plan);
  if (why !== undefined) throw new UserError(`to install ${packages.join(' ')}, ${why}`);
  return plan.installs;
}

const installOptions = [
  'install',
  '--yes',
  '--no-install-recommends',
  '-o',
  'DPkg::Lock::Timeout=120',
  '-o',
  'Dpkg::Use-Pty=0',
];

/** Asks nothing, in English, and lets no hook restart services. */
const aptEnvironment = {
  LC_ALL: 'C',
  DEBIAN_FRONTEND: 'noninteractive',
  NEEDRESTART_SUSPEND: '1',
  APT_LISTCHANGES_FRONTEND: 'none',
};

/**
 * Fetches a package and unpacks it into `folder` (emptied first) without installing it.
 * @throws UserError when it is not available
 */
export async function aptUnpack(name: string, folder: string, context: AptContext): Promise<void> {
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  // apt-get downloads into the working directory, which belongs to this process: so a shell changes into the folder.
  const script = 'cd "$1" && apt-get download -q "$2" && dpkg-deb -x "$2"_*.deb . && rm -f "$2"_*.deb';
  const result = await context.process.run('sh', ['-c', script, 'sh', part, name], { env: aptEnvironment });
  writeFileSync(context.logFile, `$ apt-get download ${name}\n${result.stdout}${result.stderr}`, { flag: 'a' });
  if (result.code !== 0) throw new UserError(`cannot fetch the package ${name}:\n${lastLines(context.logFile)}`);
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
}

async function update(context: AptContext): Promise<void> {
  context.say('updating the package lists (apt-get update)');
  for (let tries = 1; ; tries++) {
    const code = await stream(['update'], context, () => undefined);
    if (code === 0 || context.stop.aborted) return;
    const locked = /Could not get lock|Unable to lock/.test(lastLines(context.logFile));
    if (!locked || tries === LOCK_TRIES) break;
    if (tries === 1) context.say('another program is installing packages; waiting for it');
    await sleep(LOCK_POLL_MS);
  }
  throw new UserError(
    `apt-get update failed; is there a network?\n${lastLines(context.logFile)}\nThe whole log is in ${context.logFile}`,
  );
}

async function install(packages: readonly string[], context: AptContext): Promise<boolean> {
  const restore = forbidServices();
  try {
    // --no-remove is the belt to the simulation's braces.
    return (await stream([...installOptions, '--no-remove', ...packages], context, aptProgress())) === 0;
  } finally {
    restore();
  }
}

/**
 * Runs apt-get in a session of its own: Ctrl-C must not tear dpkg in the middle of a package; the caller stops after it.
 */
function stream(
  args: readonly string[],
  context: AptContext,
  progress: (line: string) => string | undefined,
): Promise<number> {
  const log = openSync(context.logFile, 'a', 0o600);
  writeSync(log, `$ apt-get ${args.join(' ')}\n`);
  const env = { ...process.env, ...aptEnvironment };
  const options: SpawnOptions = { detached: true, stdio: ['ignore', 'pipe', log], env };
  const child = spawn('apt-get', args, options);
  const onStop = (): void => context.say('apt-get is at work: ending as soon as it is done');
  context.stop.addEventListener('abort', onStop, { once: true });
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      writeSync(log, `${line}\n`);
      const text = progress(line);
      if (text !== undefined) context.say(text);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      context.stop.removeEventListener('abort', onStop);
      closeSync(log);
      reject(new UserError(`apt-get cannot be started: ${error.message}`, { cause: error }));
    });
    child.on('close', (code) => {
      context.stop.removeEventListener('abort', onStop);
      closeSync(log);
      resolve(code ?? 1);
    });
  });
}

/**
 * Debian starts a service when its package is installed, unless policy-rc.d says no. One that is there already is the
 * administrator's and stays. Ours says no only as long as this process lives: if we are killed, what is left is harmless,
 * and the next install removes it.
 *
 * @returns takes it away again
 */
function forbidServices(): () => void {
  if (existsSync(POLICY)) {
    if (!readFileSync(POLICY, 'utf8').includes(POLICY_MARK)) return () => {};
    rmSync(POLICY, { force: true });
  }
  const remove = (): void => rmSync(POLICY, { force: true });
  process.on('exit', remove);
  writeFileSync(
    POLICY,
    `#!/bin/sh\n${POLICY_MARK} while it installs packages, so that none starts a service. May be removed.\n` +
      `[ -d /proc/${process.pid} ] && exit 101\nexit 0\n`,
    { mode: 0o755 },
  );
  chmodSync(POLICY, 0o755);
  return () => {
    remove();
    process.removeListener('exit', remove);
  };
}

function readLog(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function lastLines(file: string): string {
  return readLog(file).trimEnd().split('\n').slice(-LAST_LINES).join('\n');
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
