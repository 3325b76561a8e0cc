import { expect, it } from 'vitest';
import type { Process, RunResult } from '../../lib/index.ts';
import { openRouterMachine } from './router-machine.node.ts';

/** Answers by the words of the command. */
function nft(answers: Readonly<Record<string, Partial<RunResult>>>): Process {
  return {
    run: async (file, args) => ({ code: 0, stdout: '', stderr: '', ...answers[[file, ...args].join(' ')] }),
  };
}

const LIST = 'nft -t list table ip mendlet-x';
const TABLES = 'nft list tables ip';

it.each<[string, Readonly<Record<string, Partial<RunResult>>>, string | undefined]>([
  ['a table that is there', { [LIST]: { stdout: 'table ip mendlet-x {' } }, 'table ip mendlet-x {'],
  [
    'one that is not',
    { [LIST]: { code: 1, stderr: 'Error' }, [TABLES]: { stdout: 'table ip mendlet-xy\n' } },
    undefined,
  ],
])('the outline of %s', async (_, answers, outline) => {
  expect(await openRouterMachine(nft(answers)).outline('mendlet-x')).toBe(outline);
});

it.each<[string, Readonly<Record<string, Partial<RunResult>>>]>([
  ['nft is killed', { [LIST]: { code: 137, stderr: 'killed' }, [TABLES]: { stdout: 'table ip mendlet-x\n' } }],
  ['nft is killed twice', { [LIST]: { code: 137, stderr: 'killed' }, [TABLES]: { code: 137 } }],
  ['nft is not there', { [LIST]: { code: 127, stderr: 'killed' }, [TABLES]: { code: 127 } }],
])('nobody says that the table is gone where %s', async (_, answers) => {
  await expect(openRouterMachine(nft(answers)).outline('mendlet-x')).rejects.toThrow('killed');
});
