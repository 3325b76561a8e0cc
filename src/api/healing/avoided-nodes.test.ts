import { describe, expect, it } from 'vitest';
import { formatAvoidedNodes, MAX_AVOIDED_NODES, readAvoidedNodes } from './avoided-nodes.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const LATER = '2026-01-01T01:00:00Z';

describe('avoided nodes', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['none', undefined, []],
    ['by hand', `[{"node":"n1","until":"${LATER}"}]`, ['n1']],
    ['what is over', `[{"node":"n1","until":"2026-01-01T00:00:00Z"},{"node":"n2","until":"${LATER}"}]`, ['n2']],
    ['a time that is none', '[{"node":"n1","until":"tomorrow"}]', []],
    ['without a time', '[{"node":"n1"}]', []],
    ['something else in between', `[7,null,{"node":""},{"node":"n1","until":"${LATER}","pod":3}]`, []],
    ['no list', '{"node":"n1"}', []],
    ['no JSON', 'n1', []],
    ['too long', `[{"node":"n1","until":"${LATER}"}]${' '.repeat(20_000)}`, []],
  ])('%s', (_, text, names) => expect(readAvoidedNodes(text, NOW).map(({ node }) => node)).toEqual(names));

  it('are written as they are read, and no more than may be', () => {
    const entry = { node: 'n', until: LATER, at: '2026-01-01T00:00:00Z', pod: 'web', cause: 'x' };
    expect(readAvoidedNodes(formatAvoidedNodes([entry]), NOW)).toEqual([entry]);
    const many = Array.from({ length: 40 }, (_, i) => ({ ...entry, node: `n${i}`, cause: 'x'.repeat(2000) }));
    const text = formatAvoidedNodes(many);
    expect(readAvoidedNodes(text, NOW)).toHaveLength(MAX_AVOIDED_NODES);
    expect(text.length).toBeLessThan(8192);
  });
});
