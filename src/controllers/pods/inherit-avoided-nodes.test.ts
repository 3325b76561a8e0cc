import { describe, expect, it } from 'vitest';
import { AVOID_NODES } from '../../api/index.ts';
import { concernsPod, inheritAvoidedNodes } from './inherit-avoided-nodes.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const UNTIL = '2026-01-01T01:00:00Z';

function inherit(owner: string | undefined, own?: string, applies = concernsPod('db-0')): unknown {
  const annotations: Record<string, string> = own === undefined ? {} : { [AVOID_NODES]: own };
  const metadata = { name: 'db', ...(owner === undefined ? {} : { annotations: { [AVOID_NODES]: owner } }) };
  const pod = inheritAvoidedNodes({ metadata: { name: 'db-0', annotations } }, { metadata }, NOW, applies);
  const text = pod.metadata?.annotations?.[AVOID_NODES];
  return text === undefined ? undefined : JSON.parse(text);
}

const entry = (node: string, pod?: string, until = UNTIL) => ({ node, until, ...(pod === undefined ? {} : { pod }) });
const list = (...entries: readonly object[]): string => JSON.stringify(entries);

describe('a new pod', () => {
  it.each<[string, string | undefined, string | undefined, unknown]>([
    ['of an owner without memories', undefined, undefined, undefined],
    ['of one that remembers', list(entry('n1', 'db-0')), undefined, [entry('n1', 'db-0')]],
    ['of one that remembers others', list(entry('n1', 'db-1')), undefined, undefined],
    ['of one that was told', list(entry('n1')), undefined, [entry('n1')]],
    ['after it is forgotten', list(entry('n1', 'db-0', '2026-01-01T00:00:00Z')), undefined, undefined],
    ['with a word of its own', list(entry('n1')), list(entry('n2')), [entry('n2'), entry('n1')]],
    ['of an owner with nonsense', '[{]', list(entry('n2')), [entry('n2')]],
  ])('%s', (_, owner, own, expected) => expect(inherit(owner, own)).toEqual(expected));
});
