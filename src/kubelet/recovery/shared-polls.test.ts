import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { SharedPolls } from './shared-polls.ts';

function world(answers: (key: string) => Promise<string | undefined>, atOnce = 4) {
  const clock = createManualClock();
  const asked: string[] = [];
  const polls = new SharedPolls({
    clock,
    random: seededRandom(1),
    atOnce,
    periodMs: (answer) => (answer === 'well' ? 5000 : 1000),
    ask: (key) => {
      asked.push(key);
      return answers(key);
    },
  });
  return { clock, asked, polls };
}

describe('questions asked again and again', () => {
  it('are asked once for all who want to know, at once and then each period, until nobody does', async () => {
    const w = world(async () => 'ill');
    const heard: string[] = [];
    const first = w.polls.follow('a', (answer) => heard.push(`1 ${answer}`));
    await settle();
    const second = w.polls.follow('a', (answer) => heard.push(`2 ${answer}`));
    expect(heard).toEqual(['1 ill', '2 ill']);
    await w.clock.advance(1250);
    expect(w.asked).toEqual(['a', 'a']);
    first();
    first();
    await w.clock.advance(1250);
    expect(heard.filter((each) => each.startsWith('1'))).toHaveLength(2);
    second();
    const timers = w.clock.pendingTimers;
    await w.clock.advance(10_000);
    expect([w.asked.length, timers]).toEqual([3, 0]);
  });

  it('wait longer where all is well, and tell nothing that is not known', async () => {
    const answers: (string | undefined)[] = ['well', undefined, 'ill'];
    const w = world(async () => answers.shift());
    const heard: string[] = [];
    w.polls.follow('a', (answer) => heard.push(answer));
    await settle();
    await w.clock.advance(4999);
    expect(w.asked).toHaveLength(1);
    await w.clock.advance(1251);
    expect([w.asked.length, heard]).toEqual([2, ['well']]);
    await w.clock.advance(1250);
    expect(heard).toEqual(['well', 'ill']);
    w.polls.close();
  });

  it('are so many at once and no more, and one that hangs ends with its last listener', async () => {
    const pending: (() => void)[] = [];
    const w = world(() => new Promise((resolve) => pending.push(() => resolve('x'))), 2);
    const ends = ['a', 'b', 'c'].map((key) => w.polls.follow(key, () => {}));
    await settle();
    expect(w.asked).toEqual(['a', 'b']);
    ends[2]?.();
    pending[0]?.();
    await settle();
    expect(w.asked).toEqual(['a', 'b']);
    w.polls.close();
    w.polls.follow('d', () => {});
    await settle();
    expect(w.asked).toEqual(['a', 'b']);
  });
});
