/** The deaths of a workload as a line of time: cause, evidence, what changed before, what was done, how long it took. */
import type { ComponentChildren, VNode } from 'preact';
import { deathsCommand, lastDeathCommand } from '../commands.ts';
import type { LifeDeath } from '../contract.ts';
import { instantWords, spanWords } from '../words.ts';
import { visible } from '../visible-text.ts';
import { Ago } from './clock.tsx';
import { Copy, Text } from './parts.tsx';

interface DeathsProps {
  /** The newest first. */
  readonly deaths: readonly LifeDeath[];
  readonly namespace: string;
}

export function Deaths({ deaths, namespace }: DeathsProps): VNode {
  if (deaths.length === 0) return <p class="none">Nobody died.</p>;
  return (
    <ol class="deaths">
      {deaths.map((death, index) => (
        <li
          key={`${death.pod}/${death.container}/${death.at}`}
          class={death.healedMs === undefined ? 'is-out' : 'is-back'}
        >
          <Death
            death={death}
            namespace={namespace}
            isNewest={index === 0}
            isLast={isLastOfItsContainer(deaths, index)}
          />
        </li>
      ))}
    </ol>
  );
}

function isLastOfItsContainer(deaths: readonly LifeDeath[], index: number): boolean {
  const death = deaths[index];
  return deaths.findIndex(({ pod, container }) => pod === death?.pod && container === death.container) === index;
}

interface DeathProps {
  readonly death: LifeDeath;
  readonly namespace: string;
  readonly isNewest: boolean;
  /** Of its container. */
  readonly isLast: boolean;
}

function Death({ death, namespace, isNewest, isLast }: DeathProps): VNode {
  const { evidence } = death;
  const subject = { namespace, pod: death.pod, container: death.container };
  const command = isLast ? lastDeathCommand(subject) : deathsCommand(subject);
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
            <span class="back">back in {spanWords(death.healedMs)}</span>
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
          <pre tabIndex={0} role="group" aria-label="Last lines of the log">
            {evidence.lastLines.map((line) => visible(line)).join('\n')}
          </pre>
        </figure>
      )}
      <p class="command">
        <code>
          <Text text={command} />
        </code>
        <Copy command={command} of="this death" />
      </p>
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
