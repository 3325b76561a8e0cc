/**
 * Scores the recordings: `npm run why:score` prints how often the cause was named first, somewhere, wrongly or not at all, with
 * 95 % intervals, overall, by family and by program. `--all` lists what is not right, `--training` leaves out what is held out,
 * `--strict` asks for the decisive lines of healthy logs as if nobody knew how long their programs lived,
 * `--texts` adds the texts that were not recorded, `--keep COMMIT` keeps the score of each batch of held-out programs as its first, or as one that was seen.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Graded, type Grade, grade } from './grade.ts';
import { knownTexts } from './known-texts.ts';
import { BATCHES, HELD_OUT } from './programs/all.ts';
import type { Recording } from './trial.ts';
import { wilson } from './wilson.ts';

const folder = join(resolve(import.meta.dirname, '..', '..'), 'test', 'why-recordings');
const GRADES: readonly Grade[] = ['first', 'somewhere', 'wrong', 'silent'];

function recordings(): readonly Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as Recording);
}

function line(title: string, graded: readonly Graded[]): string {
  const cells = GRADES.map((each) => {
    const count = graded.filter((one) => one.grade === each).length;
    const { low, high } = wilson(count, graded.length);
    return `${each} ${count} (${percent(low)}–${percent(high)})`.padEnd(26);
  });
  return `${title.padEnd(28)} ${String(graded.length).padStart(4)}   ${cells.join(' ')}`.trimEnd();
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function grouped(graded: readonly Graded[], key: (one: Graded) => string): readonly string[] {
  const keys = [...new Set(graded.map(key))].toSorted();
  return keys.map((each) =>
    line(
      `  ${each}`,
      graded.filter((one) => key(one) === each),
    ),
  );
}

function report(title: string, graded: readonly Graded[]): readonly string[] {
  if (graded.length === 0) return [];
  const faults = graded.filter(({ recording }) => !('healthy' in recording.truth));
  const healthy = graded.filter(({ recording }) => 'healthy' in recording.truth);
  const alarms = healthy.filter(({ grade: each }) => each !== 'first').length;
  const { low, high } = wilson(alarms, healthy.length);
  return [
    line(title, faults),
    `${''.padEnd(26)} healthy: ${alarms} of ${healthy.length} logs have a headline (${percent(low)}–${percent(high)})`,
    'by family:',
    ...grouped(faults, ({ recording }) => recording.family),
    'by program:',
    ...grouped(faults, ({ recording }) => recording.program),
  ];
}

const args = process.argv.slice(2);
const all = recordings().map(grade);
const training = all.filter(({ recording }) => !HELD_OUT.has(recording.program));
const batches = args.includes('--training')
  ? []
  : BATCHES.map((programs) => all.filter(({ recording }) => programs.includes(recording.program)));
const heldOut = batches.flat();
const texts = args.includes('--texts') ? knownTexts().map(grade) : [];
const titleOf = (batch: number): string => `programs held out, batch ${batch + 1}`;
console.log(report('programs of the rules', training).join('\n'));
for (const [batch, graded] of batches.entries()) console.log(`\n${report(titleOf(batch), graded).join('\n')}`);
if (texts.length > 0) console.log(`\n${report('known texts', texts).join('\n')}`);
if (args.includes('--all')) {
  for (const { recording, grade: each, says } of [...training, ...heldOut, ...texts].filter(
    (one) => one.grade !== 'first',
  )) {
    console.log(`\n${each}: ${recording.program}/${recording.name}: wants ${JSON.stringify(recording.truth)}`);
    for (const said of says.slice(0, 3)) console.log(`    says ${said}`);
    for (const each of recording.lines.slice(-14)) console.log(`    | ${each.slice(0, 220)}`);
  }
}
/** Keeps the score of each batch: the first one that a batch gets is of rules that had not seen its programs. */
const keep = args.indexOf('--keep');
if (keep !== -1) {
  const file = join(folder, 'scores.md');
  let kept = existsSync(file) ? readFileSync(file, 'utf8') : '# Scores of the programs that are held out\n';
  for (const [batch, graded] of batches.entries()) {
    if (graded.length === 0) continue;
    const isFirst = !kept.includes(`\n## Batch ${batch + 1}, `);
    const seen = isFirst ? 'first: no rule had seen these programs' : 'seen: rules were changed after the first score';
    kept += `\n## Batch ${batch + 1}, rules of ${args[keep + 1] ?? '?'} (${seen})\n\n\`\`\`\n${report(titleOf(batch), graded).join('\n')}\n\`\`\`\n`;
  }
  writeFileSync(file, kept);
}
