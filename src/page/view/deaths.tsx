/** The deaths of a workload as a line of time: cause, evidence, what changed before, what was done, how long it took. */
import type { ComponentChildren, VNode } from 'preact';
import type { LifeDeath } from '../contract.ts';
import { instantWords, spanWords } from '../words.ts';
import { visible } from '../visible-text.ts';
import { Ago } from './clock.tsx';
import { Glyph, Text } from './parts.tsx';

export function Deaths({ deaths }: { readonly deaths: readonly LifeDeath[] }): VNode {
  if (deaths.length === 0) return <p class="none">Nobody died.</p>;
  return (
    <ol class="deaths">
      {deaths.map((death, index) => (
        <li
          key={`${death.pod}/${death.container}/${death.at}`}
          class={death.healedMs === undefined ? 'is-out' : 'is-back'}
        >
          <Death death={death} isNewest={index === 0} />
        </li>
      ))}
    </ol>
  );
}

function Death({ death, isNewest }: { readonly death: LifeDeath; readonly isNewest: boolean }): VNode {
  const { evidence } = death;
  return (
    <details open={isNewest}>
      <summary>
        <b class="words">
          <Text text={death.words} />
        </b>
        <small>
          <Ago at={death.at} /> · <Text text={`${death.pod}/${death.container}`} /> ·{' '}
          {death.healedMs === undefined ? (
            <span class="not-back">not back yet</span>
          ) : (
            <span class="back">
              <Glyph mark="ok" /> back in {spanWords(death.healedMs)}
            </span>
          )}
        </small>
      </summary>
      <dl class="facts">
        <Fact name="When">{instantWords(death.at)}</Fact>
        <Fact name="Exit">
          <Text text={death.exit} />
        </Fact>
        {evidence.memory === undefined ? null : (
          <Fact name="Memory">
            <Text text={evidence.memory} />
          </Fact>
        )}
        {evidence.cpu === undefined ? null : (
          <Fact name="CPU">
            <Text text={evidence.cpu} />
          </Fact>
        )}
        <Lines name="Changed before" lines={death.before} />
        <Lines name="Probes" lines={evidence.probes} />
        <Lines name="Done about it" lines={death.done} isOrdered />
      </dl>
      {evidence.lastLines.length === 0 ? null : (
        <figure class="last-lines">
          <figcaption>Last words</figcaption>
          {/* oxlint-disable-next-line no-noninteractive-tabindex */}
          <pre tabIndex={0} aria-label="Last lines of the log">
            {evidence.lastLines.map((line) => visible(line)).join('\n')}
          </pre>
        </figure>
      )}
    </details>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface LinesProps {
  readonly name: string;
  readonly lines: readonly string[];
  readonly isOrdered?: boolean;
}

function Lines({ name, lines, isOrdered }: LinesProps): VNode | null {
  if (lines.length === 0) return null;
  const List = isOrdered === true ? 'ol' : 'ul';
  return (
    <Fact name={name}>
      <List>
        {lines.map((line, index) => (
          <li key={index}>
            <Text text={line} />
          </li>
        ))}
      </List>
    </Fact>
  );
}
