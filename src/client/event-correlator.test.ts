import { describe, expect, it } from 'vitest';
import { EventCorrelator, type EventDraft } from './event-correlator.ts';

const regarding = { kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1', apiVersion: 'v1' };

function draft(message: string, more: Partial<EventDraft> = {}): EventDraft {
  return { regarding, type: 'Warning', reason: 'BackOff', message, at: 1000, ...more };
}

/** Correlates an event and remembers the result, as the recorder does. */
function say(correlator: EventCorrelator, event: EventDraft, mono: number): string {
  const result = correlator.correlate(event, mono);
  if (result.kind === 'skip') return 'skip';
  const written = { namespace: 'default', name: 'web.1', count: result.count, firstAt: event.at };
  correlator.remember(result.key, written);
  return `${result.kind} ${result.count} ${result.message}`;
}

describe('EventCorrelator', () => {
  it('counts up the same event, and keeps others apart', () => {
    const correlator = new EventCorrelator();
    expect(say(correlator, draft('m'), 0)).toBe('create 1 m');
    expect(say(correlator, draft('m'), 0)).toBe('count 2 m');
    expect(say(correlator, draft('m', { reason: 'Other' }), 0)).toBe('create 1 m');
    expect(say(correlator, draft('m', { regarding: { ...regarding, fieldPath: 'spec.containers{a}' } }), 0)).toBe(
      'create 1 m',
    );
    expect(say(correlator, draft('m', { regarding: { ...regarding, uid: 'u2' } }), 0)).toBe('create 1 m');
    expect(say(correlator, draft('m'), 0)).toBe('count 3 m');
  });

  it('combines similar events from the tenth different message in ten minutes on', () => {
    const correlator = new EventCorrelator();
    for (let i = 1; i <= 9; i += 1) expect(say(correlator, draft(`m${i}`), i)).toBe(`create 1 m${i}`);
    expect(say(correlator, draft('m10'), 10)).toBe('create 1 (combined from similar events): m10');
    expect(say(correlator, draft('m11'), 11)).toBe('count 2 (combined from similar events): m11');
    expect(say(correlator, draft('m12'), 11 + 600_001)).toBe('create 1 m12');
  });

  it('lets 25 events of one object pass, then one per five minutes, and counts the silenced', () => {
    const correlator = new EventCorrelator();
    const said = Array.from({ length: 30 }, () => say(correlator, draft('m'), 0));
    expect(said.filter((each) => each === 'skip')).toHaveLength(5);
    expect(said[24]).toBe('count 25 m');
    expect(say(correlator, draft('m'), 299_000)).toBe('skip');
    expect(say(correlator, draft('m'), 300_000)).toBe('count 32 m');
    expect(say(correlator, draft('m', { regarding: { ...regarding, name: 'other', uid: 'u2' } }), 0)).toBe(
      'create 1 m',
    );
  });

  it('gives reasons that are told apart their own measure', () => {
    const correlator = new EventCorrelator(new Set(['HealingStopped']));
    for (let i = 0; i < 30; i += 1) say(correlator, draft('m'), 0);
    expect(say(correlator, draft('m'), 0)).toBe('skip');
    const stopped = draft('the end', { reason: 'HealingStopped' });
    for (let i = 0; i < 25; i += 1) expect(say(correlator, stopped, 0)).not.toBe('skip');
    expect(say(correlator, stopped, 0)).toBe('skip');
  });
});
