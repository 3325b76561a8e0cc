/** Prints the ways that nodes tried: a line for each step, and what would help with the first that is broken. Pure. */
import type { PathStep } from '../../api/index.ts';
import { visibleLine } from '../../lib/index.ts';
import type { NodeAnswer, ServiceName } from './ask-nodes.ts';

const MARKS = { ok: '✓', broken: '✗', skipped: '-' } as const;
const COLOURS = { ok: 32, broken: 31, skipped: 2 } as const;
const STAGE_CHARACTERS = 'connection'.length;

export function printPaths(service: ServiceName, answers: readonly NodeAnswer[], colours: boolean): string {
  const lines = answers.flatMap((answer) => [...nodeLines(answer, colours), '']);
  return `${[...lines, visibleLine(verdict(service, answers))].join('\n')}\n`;
}

/** Nothing that was tried is broken, and something was tried. */
export function isWell(answers: readonly NodeAnswer[]): boolean {
  const tried = answers.filter((answer) => 'path' in answer);
  const silent = answers.filter((answer) => 'problem' in answer && !answer.isForeign);
  return tried.length > 0 && silent.length === 0 && tried.every(({ path }) => firstBroken(path.steps) === undefined);
}

function nodeLines(answer: NodeAnswer, colours: boolean): readonly string[] {
  const title = `from node ${visibleLine(answer.node)}`;
  if ('problem' in answer) {
    const result = answer.isForeign ? 'skipped' : 'broken';
    return [title, `  ${mark(result, colours)} ${visibleLine(answer.problem)}`];
  }
  const { steps } = answer.path;
  const broken = firstBroken(steps);
  return [
    title,
    ...steps.flatMap((step) => [
      `  ${mark(step.result, colours)} ${visibleLine(step.stage).padEnd(STAGE_CHARACTERS)}  ${visibleLine(step.says)}`,
      ...(step === broken && step.help !== undefined ? [`    try: ${visibleLine(step.help)}`] : []),
    ]),
  ];
}

function firstBroken(steps: readonly PathStep[]): PathStep | undefined {
  return steps.find(({ result }) => result === 'broken');
}

function verdict({ namespace, name }: ServiceName, answers: readonly NodeAnswer[]): string {
  const subject = `svc/${name} (${namespace})`;
  const broken = answers.flatMap((answer) => {
    if ('problem' in answer) return answer.isForeign ? [] : [`${answer.node} (no answer)`];
    const step = firstBroken(answer.path.steps);
    return step === undefined ? [] : [`${answer.node} (${step.stage})`];
  });
  if (broken.length > 0) return `${subject}: the way is broken from ${broken.join(', ')}`;
  const tried = answers.filter((answer) => 'path' in answer);
  if (tried.length === 0) return `${subject}: no node could try the way`;
  return `${subject}: the way is whole from ${tried.map(({ node }) => node).join(', ')}`;
}

function mark(result: PathStep['result'], colours: boolean): string {
  return colours ? `\u001b[${COLOURS[result]}m${MARKS[result]}\u001b[0m` : MARKS[result];
}
