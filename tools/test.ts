/**
 * `npm test`: everything a newcomer runs to trust the project, in order of cost. Each step says what it does; the last line is
 * `N passed, N failed, N skipped`. With `CI=true` as root a skipped end-to-end suite is a failure.
 *
 *   node tools/test.ts [--only STEP[,STEP]] [--fast]      steps: types lint format rules unit sim attack page e2e services
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withoutBrowser } from './lost-suites.ts';
import { whyNoChromium } from '../test/page/find-chromium.ts';

const root = resolve(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const { values: flags } = parseArgs({ options: { only: { type: 'string' }, fast: { type: 'boolean' } } });
const only = flags.only?.split(',');
const isRoot = process.getuid?.() === 0;

/** From the report of Vitest until it must have ended: a process that a test left behind could keep it for good. ms */
const END_GRACE_MS = 60_000;

/** Suites that are run once more after a fault of Node.js or Chromium itself; more of them is no accident. */
const MAX_LOST_SUITES = 2;

/** Each seed is run once more, and must leave the same trace. */
const TWICE = '--check-determinism';

const FETCH_CHROMIUM = 'test/page/find-chromium.ts';

interface Outcome {
  passed: number;
  failed: number;
  /** One line each: the skipped step and the reason. */
  skipped: string[];
  /** What a step that ran beside others has printed. */
  said?: string;
}

interface Step {
  readonly name: string;
  readonly what: string;
  readonly slow?: boolean;
  /** It needs nothing of the machine, so all of these run at once: each alone leaves a core idle for a part of its time. */
  readonly atOnce?: boolean;
  run(): Outcome | Promise<Outcome>;
}

const steps: readonly Step[] = [
  {
    name: 'types',
    what: 'type check',
    atOnce: true,
    run: async () => {
      // The page has a browser's types, which must not reach the house: that reads src/page/rendering.d.ts.
      const [house, page] = await Promise.all(
        ['tsconfig.json', 'src/page/tsconfig.json'].map((project) => check(bin('tsc'), ['-p', project])),
      );
      return both(house, page);
    },
  },
  {
    name: 'lint',
    what: 'lint',
    atOnce: true,
    run: () => check(bin('oxlint'), ['--type-aware', 'src', 'test', 'tools']),
  },
  { name: 'format', what: 'format', atOnce: true, run: () => check(bin('biome'), ['format', 'src', 'test', 'tools']) },
  {
    name: 'rules',
    what: 'import direction and house rules, and what the pages name',
    atOnce: true,
    run: async () => {
      const [imports, pages] = await Promise.all(
        ['tools/check-imports.ts', 'tools/check-docs.ts'].map((tool) => check(process.execPath, [tool])),
      );
      return both(imports, pages);
    },
  },
  { name: 'unit', what: 'unit tables and property tests', run: () => vitest('vitest.config.ts') },
  {
    name: 'sim',
    what: 'simulation: the fixed seeds, some of them twice, with equal traces',
    run: simulation,
  },
  {
    name: 'attack',
    what: 'attacks, in their short form',
    run: () => vitest('test/attack/vitest.config.ts', { MENDLET_ATTACK: 'short' }),
  },
  {
    name: 'page',
    what: 'the live page in a real Chromium, in its short form',
    slow: true,
    run: inChromium,
  },
  {
    name: 'e2e',
    what: 'end to end on real containerd',
    slow: true,
    run: () => onContainerd(() => vitest('test/e2e/vitest.config.ts')),
  },
  {
    name: 'services',
    what: 'requests that clients of services lose, beside twice the goals',
    slow: true,
    // Alone on the machine: these counts depend on its speed.
    run: () => onContainerd(() => command(process.execPath, ['test/bench/services.ts', '--check'])),
  },
];

const noContainers =
  process.platform !== 'linux' ? 'needs Linux' : !isRoot ? 'needs root (containers, mounts, network)' : undefined;
const chosen = steps.filter(({ name }) => only?.includes(name) ?? true);
const isSlow = flags.fast !== true && chosen.some(({ slow }) => slow === true);
const fetched = isSlow && noContainers === undefined ? fetchNeeds() : undefined;

const begun = new Map(chosen.filter(({ atOnce }) => atOnce === true).map((step) => [step, step.run()]));
const total: Outcome = { passed: 0, failed: 0, skipped: [] };
const failedSteps: string[] = [];
for (const step of chosen) {
  if (flags.fast === true && step.slow === true) {
    total.skipped.push(`${step.name}: --fast`);
    continue;
  }
  console.log(`\n== ${step.what}`);
  const since = Date.now();
  const outcome = await (begun.get(step) ?? step.run());
  if (outcome.said) console.log(outcome.said);
  console.log(`(${step.name}: ${Math.round((Date.now() - since) / 1000)} s)`);
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  total.skipped.push(...outcome.skipped);
  if (outcome.failed > 0) failedSteps.push(step.name);
}

console.log('');
for (const line of total.skipped) console.log(`skipped: ${line}`);
if (failedSteps.length > 0) console.log(`failed in: ${failedSteps.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
process.exit(total.failed > 0 ? 1 : 0);

function command(file: string, args: readonly string[]): Outcome {
  const { status, error } = spawnSync(file, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) console.error(`${file}: ${error.message}`);
  return status === 0 ? { passed: 1, failed: 0, skipped: [] } : { passed: 0, failed: 1, skipped: [] };
}

/** Like `command`, beside others: what it prints comes with its outcome. */
function check(file: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((done) => {
    execFile(file, [...args], { cwd: root, maxBuffer: 1 << 27 }, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trimEnd() || (error?.message ?? '');
      done(error === null ? { passed: 1, failed: 0, skipped: [], said } : { passed: 0, failed: 1, skipped: [], said });
    });
  });
}

function both(one: Outcome | undefined, other: Outcome | undefined): Outcome {
  const all = [one, other].filter((each) => each !== undefined);
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped: all.flatMap(({ skipped }) => skipped),
    said: all.flatMap(({ said }) => said ?? []).join('\n'),
  };
}

/**
 * Fixed seeds: one test per seed. A third of them are run twice and must leave the same trace: what makes a run depend on anything but
 * its seed shows in most seeds. A failure that a seed once found is a unit test beside its fix.
 */
async function simulation(): Promise<Outcome> {
  const machines = 'src/sim/main.ts';
  const fleets = 'src/sim/fleet/main.ts';
  // Two processes at a time, of nearly equal length. The seeds from 5 to 8 have storage drivers, and ordinary nodes.
  const outcomes = await Promise.all([
    inTurn([() => seeds(machines, 4, '--from', '5', TWICE), () => seeds(fleets, 1, '--minutes', '8', TWICE)]),
    inTurn([
      () => seeds(machines, 4),
      () => seeds(machines, 4, '--from', '9'),
      () => seeds(fleets, 3, '--from', '2', '--minutes', '8'),
    ]),
  ]);
  return both(...outcomes);
}

async function inTurn(runs: readonly (() => Promise<Outcome>)[]): Promise<Outcome> {
  let outcome: Outcome = { passed: 0, failed: 0, skipped: [] };
  for (const run of runs) outcome = both(outcome, await run());
  return outcome;
}

function seeds(program: string, count: number, ...more: readonly string[]): Promise<Outcome> {
  const args = [program, '--seeds', String(count), ...more];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 27 }, (error, stdout, stderr) => {
      console.log(`${stdout}${stderr}`.trimEnd());
      const failed = error === null ? 0 : Number(/^(\d+) of \d+ seeds failed/m.exec(stdout)?.[1] ?? count);
      done({ passed: count - failed, failed, skipped: [] });
    });
  });
}

/** A machine that has no Chromium and can install none is told why, and nothing fails: all else there is worth as much without it. */
async function inChromium(): Promise<Outcome> {
  await fetched;
  const why = await whyNoChromium((text) => console.log(`set-up: ${text}`));
  if (why !== undefined) return { passed: 0, failed: 0, skipped: [`the page in Chromium: ${why}`] };
  return vitest('test/page/vitest.config.ts');
}

async function onContainerd(run: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  if (noContainers !== undefined) return { passed: 0, failed: 0, skipped: [`end-to-end suite: ${noContainers}`] };
  await fetched;
  return run();
}

/**
 * Begins to fetch what the end-to-end suites and those of the page need, beside steps that leave the network idle. What fails here is tried again by the
 * set-up of the suites, which fails with the reason.
 */
async function fetchNeeds(): Promise<void> {
  const isPageAlone = chosen.every(({ name, slow }) => slow !== true || name === 'page');
  // One after the other: apt-get works for one at a time.
  for (const program of isPageAlone ? [FETCH_CHROMIUM] : ['test/e2e/fetch.ts', FETCH_CHROMIUM]) {
    const child = spawn(process.execPath, [program], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = await Promise.all([text(child.stdout), text(child.stderr)]);
    process.stdout.write(said.join(''));
  }
}

/**
 * The exit code of Vitest. A Vitest that has reported and does not end is ended with all its processes, and counts as failed: whatever holds it
 * is a fault of the suite, and must not keep the one who waits for the last line.
 */
function endOf(args: readonly string[], env: NodeJS.ProcessEnv, report: string): Promise<number | null> {
  const child = spawn(bin('vitest'), args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env, detached: true });
  return new Promise((done) => {
    let reportedAt: number | undefined;
    const look = setInterval(() => {
      if (existsSync(report)) reportedAt ??= Date.now();
      if (reportedAt === undefined || Date.now() - reportedAt < END_GRACE_MS) return;
      console.error(
        '\nVitest has reported and does not end: what a test began still runs. It is killed, and counts as failed.',
      );
      killGroup(child.pid, 'SIGKILL');
    }, 1000);
    const stopWith = (signal: NodeJS.Signals): void => {
      killGroup(child.pid, signal);
      process.exit(1);
    };
    process.once('SIGINT', stopWith).once('SIGTERM', stopWith);
    const end = (code: number | null): void => {
      clearInterval(look);
      process.off('SIGINT', stopWith).off('SIGTERM', stopWith);
      done(code);
    };
    child.on('close', end);
    child.on('error', (error) => {
      console.error(`vitest: ${error.message}`);
      end(null);
    });
  });
}

/** The child leads a process group of its own. */
function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended in between.
  }
}

/** Runs Vitest and counts from its own report; a suite that could not even load counts as a failure. */
async function vitest(
  config: string,
  env: Readonly<Record<string, string>> = {},
  files: readonly string[] = [],
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mendlet-test-'));
  const report = join(folder, 'report.json');
  const lostSuites = join(folder, 'lost.json');
  try {
    const args = [
      'run',
      ...files,
      '--config',
      config,
      '--root',
      root,
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'tools', 'lost-suites.ts')}`,
      `--outputFile.json=${report}`,
    ];
    const status = await endOf(args, { ...process.env, ...env, MENDLET_LOST_SUITES: lostSuites }, report);
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: [] };
    const result = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
    const ended = existsSync(lostSuites) ? (JSON.parse(readFileSync(lostSuites, 'utf8')) as string[]) : [];
    const lost = [...ended, ...withoutBrowser(result.testResults)];
    if (files.length === 0 && lost.length > 0 && lost.length <= MAX_LOST_SUITES) {
      console.log(
        `\nNode.js or Chromium itself ended by a fault while these ran; they run once more: ${lost.join(', ')}`,
      );
      const kept = keepOf(result, lost);
      const others = kept.testResults.some((file) => file.status === 'failed');
      return both(outcomeOf(kept, config, others ? status : 0), await vitest(config, env, lost));
    }
    return outcomeOf(result, config, status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A report without the test files that are run once more. */
function keepOf(result: VitestReport, lost: readonly string[]): VitestReport {
  const testResults = result.testResults.filter(({ name }) => !lost.includes(name));
  const numFailedTests = testResults.flatMap((file) => file.assertionResults).filter(isFailed).length;
  return { ...result, numFailedTests, testResults };
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === 'failed';
}

function outcomeOf(result: VitestReport, config: string, status: number | null): Outcome {
  const tests = result.testResults.flatMap((file) => file.assertionResults);
  const skipped = tests
    .filter((test) => test.status === 'skipped' || test.status === 'pending' || test.status === 'todo')
    .map((test) => `${test.fullName}: ${(test.failureMessages ?? []).join(' ') || 'see the test for its reason'}`);
  let failed = result.numFailedTests;
  if (failed === 0 && status !== 0) failed = Math.max(1, result.numFailedTestSuites);
  if (config.includes('e2e') && process.env['CI'] === 'true' && isRoot) failed += skipped.length;
  return { passed: tests.filter((test) => test.status === 'passed').length, failed, skipped };
}

interface VitestReport {
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}
