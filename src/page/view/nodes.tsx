/** A strip for each node: how it is, what runs on it, and how full its disk is. */
import type { VNode } from 'preact';
import { nodeCommand } from '../commands.ts';
import type { PageNode } from '../contract.ts';
import { countWords } from '../words.ts';
import { memo } from './memo.tsx';
import { Copy, Glyph, Text } from './parts.tsx';

/** From here on a disk is called full. */
const FULL_PERCENT = 90;
const HIGH_PERCENT = 80;

interface NodesProps {
  readonly nodes: readonly PageNode[];
  readonly isDead: boolean;
}

export const Nodes = memo(function Nodes({ nodes, isDead }: NodesProps): VNode {
  return (
    <section class="nodes" aria-label="Nodes">
      <ul>
        {nodes.map((node) => (
          <Node key={node.name} node={node} isDead={isDead} />
        ))}
      </ul>
    </section>
  );
});

const WORDS: Readonly<Record<PageNode['mood'], string>> = { ok: 'ok', troubled: 'trouble', unknown: 'not heard' };

function Node({ node, isDead }: { readonly node: PageNode; readonly isDead: boolean }): VNode {
  const { name, mood, troubles } = node;
  const versions = [node.runtime, node.agent, node.server === undefined ? '' : `server ${node.server}`.trim()];
  return (
    <li class={`node is-${isDead ? 'stale' : mood}`}>
      <p class="node-name">
        <Glyph mark={isDead ? 'stale' : mood} />
        <strong>
          <Text text={name} />
        </strong>
        <span class="word">{isDead ? `was ${mood === 'troubled' ? 'in trouble' : WORDS[mood]}` : WORDS[mood]}</span>
        <Copy command={nodeCommand(name)} of={`node ${name}`} />
      </p>
      {troubles.length === 0 ? null : (
        <p class="trouble">
          <Text text={troubles.join(', ')} />
        </p>
      )}
      <p class="node-facts">
        <span>{countWords(node.pods, 'pod')}</span>
        {node.diskUsedPercent === undefined ? null : <Disk percent={node.diskUsedPercent} />}
        <span class="versions">
          <Text text={versions.filter((text) => text !== '').join(' · ')} />
        </span>
      </p>
    </li>
  );
}

function Disk({ percent }: { readonly percent: number }): VNode {
  const full = Math.round(percent);
  const words = full >= FULL_PERCENT ? 'disk full' : full >= HIGH_PERCENT ? 'disk high' : 'disk';
  return (
    <span class="disk">
      {words}{' '}
      <meter min={0} max={100} high={HIGH_PERCENT} value={full} aria-label={`disk used: ${full} percent`}>
        {full} %
      </meter>{' '}
      {full} %
    </span>
  );
}
