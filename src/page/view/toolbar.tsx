/** The filters above the table. */
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import type { Filter } from '../row-filter.ts';
import { visibleLine } from '../visible-text.ts';
import { countWords } from '../words.ts';
import { HandsContext } from './hands.ts';

interface ToolbarProps {
  readonly filter: Filter;
  readonly namespaces: readonly string[];
  readonly shown: number;
  readonly all: number;
  readonly notWell: number;
}

/** The element that `/` leads to. */
export const FILTER_ID = 'filter';

export function Toolbar({ filter, namespaces, shown, all, notWell }: ToolbarProps): VNode {
  const hands = useContext(HandsContext);
  return (
    <search class="toolbar needs-script" aria-label="Filter workloads">
      <input
        id={FILTER_ID}
        type="search"
        placeholder="Filter"
        aria-label="Filter by name, pod or node"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        value={filter.text}
        onInput={(event) => hands.choose({ text: event.currentTarget.value })}
      />
      <select
        aria-label="Namespace"
        value={filter.namespace}
        onChange={(event) => hands.choose({ namespace: event.currentTarget.value })}
      >
        <option value="">All namespaces</option>
        {namespaces.map((namespace) => (
          <option key={namespace} value={namespace}>
            {visibleLine(namespace)}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="toggle"
        aria-pressed={filter.notWell}
        aria-keyshortcuts="n"
        onClick={() => hands.choose({ notWell: !filter.notWell })}
      >
        Not well <span class="count">{notWell}</span>
      </button>
      <output class="shown" aria-live="polite">
        {shown === all ? countWords(all, 'workload') : `${shown} of ${countWords(all, 'workload')}`}
      </output>
    </search>
  );
}
