/**
 * Records trials: `npm run why:record -- PROGRAM…` runs the trials of these programs (root, Linux) and writes what their logs
 * were to test/why-recordings/PROGRAM.jsonl. `--only NAME` runs some of a program's trials again and keeps the others.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FIFTH, HELD_OUT, OF_NINTH, OF_SEVENTH, OF_TENTH, TRIALS } from './programs/all.ts';
import { trialRoot } from './root.ts';
import { runTrial } from './run-trial.ts';
import type { Recording } from './trial.ts';

const folder = join(resolve(import.meta.dirname, '..', '..'), 'test', 'why-recordings');

function known(program: string): readonly Recording[] {
  const file = join(folder, `${program}.jsonl`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recording);
}

function rootOf(program: string): 'root' | 'fifth' | 'seventh' | 'ninth' | 'tenth' {
  if (OF_TENTH.has(program)) return 'tenth';
  if (OF_NINTH.has(program)) return 'ninth';
  if (OF_SEVENTH.has(program)) return 'seventh';
  return FIFTH.has(program) ? 'fifth' : 'root';
}

function record(program: string, only: string | undefined): void {
  const trials = TRIALS.filter((trial) => trial.program === program);
  if (trials.length === 0) throw new Error(`there is no trial of ${program}`);
  const before = new Map(known(program).map((each) => [each.name, each]));
  const recordings = trials.flatMap((trial): readonly Recording[] => {
    const old = before.get(trial.name);
    if (only !== undefined && !trial.name.includes(only))
      return old === undefined ? [] : [{ ...old, truth: trial.truth }];
    const healthy = 'healthy' in trial.truth;
    try {
      const found = runTrial(trialRoot(rootOf(program)), trial);
      const ended = found.exitCode !== undefined;
      // A trial whose fault does not show is no trial.
      if (ended === healthy || found.exitCode === 0) {
        console.log(
          `${program}/${trial.name}: left out, because it ${ended ? `ended with ${found.exitCode}` : 'did not end'}: ${found.lines.slice(-2).join(' | ').slice(0, 200)}`,
        );
        return [];
      }
      console.log(
        `${program}/${trial.name}: ${ended ? `exit ${found.exitCode}` : 'runs'}, ${found.lines.length} lines`,
      );
      return [found];
    } catch (error) {
      console.log(`${program}/${trial.name}: left out: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${program}.jsonl`), recordings.map((each) => `${JSON.stringify(each)}\n`).join(''));
}

const args = process.argv.slice(2);
const at = args.indexOf('--only');
const only = at === -1 ? undefined : args[at + 1];
const programs = args.filter((arg, index) => !arg.startsWith('--') && (at === -1 || index !== at + 1));
const all = [...new Set(TRIALS.map(({ program }) => program))];
for (const program of programs.length > 0 ? programs : all.filter((each) => !HELD_OUT.has(each))) record(program, only);
