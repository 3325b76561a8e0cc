/** What `why` found, each with what it is told by and the commands that go on. */
import type { VNode } from 'preact';
import type { LifeFinding } from '../contract.ts';
import { visible } from '../visible-text.ts';
import { Copy, Glyph, type Mark, Text } from './parts.tsx';

const MARKS: Readonly<Record<LifeFinding['severity'], readonly [Mark, string]>> = {
  critical: ['stopped', 'critical'],
  warning: ['troubled', 'warning'],
  info: ['note', 'note'],
};

export function Findings({ findings }: { readonly findings: readonly LifeFinding[] }): VNode {
  if (findings.length === 0) return <p class="none">Nothing is wrong that could be found.</p>;
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <Finding key={finding.headline} finding={finding} />
      ))}
    </ul>
  );
}

function Finding({ finding }: { readonly finding: LifeFinding }): VNode {
  const [mark, word] = MARKS[finding.severity];
  return (
    <li class={`finding is-${mark}`}>
      <p class="headline">
        <Glyph mark={mark} />
        <span class="unseen">{word}: </span>
        <b>
          <Text text={finding.headline} />
        </b>
      </p>
      {finding.evidence.length === 0 ? null : (
        <ul class="evidence">
          {finding.evidence.map((line, index) => (
            <li key={index}>
              <bdi>{visible(line)}</bdi>
            </li>
          ))}
        </ul>
      )}
      {finding.commands.map((command) => (
        <p key={command} class="command">
          <code>
            <Text text={command} />
          </code>
          <Copy command={command} of={finding.headline} />
        </p>
      ))}
    </li>
  );
}
