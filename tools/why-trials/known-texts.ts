/**
 * Reads logs that are known from public texts and were written down, not recorded: `test/why-texts/*.txt`. A text begins with
 * "=== PROGRAM/NAME | FAMILY | exit N | ids A,B | must TEXT ; TEXT | user N", a healthy one with "=== PROGRAM/NAME | healthy".
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Recording } from './trial.ts';

const folder = join(resolve(import.meta.dirname, '..', '..'), 'test', 'why-texts');
/** Most programs of these texts end in their first seconds, like those of the recordings. */
const SECONDS = 8;

/** All of them, as recordings. */
export function knownTexts(): readonly Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split(/^=== /m).slice(1))
    .map(recordingOf);
}

function recordingOf(text: string): Recording {
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const [title = '', family = '', ...parts] = head.split(' | ');
  const [program = '', name = ''] = title.split('/');
  const told = new Map(parts.map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]));
  const user = Number(told.get('user') ?? 0);
  if (family === 'healthy') {
    return { program, name, family, truth: { healthy: true }, user, seconds: 3600, lines };
  }
  const exitCode = Number(told.get('exit'));
  const truth = { ids: told.get('ids')?.split(',') ?? [], must: told.get('must')?.split(' ; ') ?? [] };
  if (Number.isNaN(exitCode) || truth.ids.length === 0) throw new Error(`no truth in: ${head}`);
  return { program, name, family, truth, user, exitCode, seconds: SECONDS, lines };
}
