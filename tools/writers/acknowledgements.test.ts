import { expect, it } from 'vitest';
import { Acknowledgements } from './acknowledgements.ts';

it('notices a writer that finds less than was acknowledged', async () => {
  const heard = await Acknowledgements.listen('127.0.0.1');
  for (const line of ['start v w 0', 'ack v w 1', 'ack v w 2', 'start v x 2', 'ack u w 1']) heard.hear(line);
  expect([heard.problems, heard.records, heard.starts]).toEqual([[], 3, 2]);
  heard.hear('start v y 1');
  heard.hear('ack  w 1');
  expect(heard.problems).toEqual(['v: a writer found 1 records, and 2 were acknowledged', 'a writer said "ack  w 1"']);
  await heard.close();
});
