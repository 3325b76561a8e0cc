/** The whole page: a pure function of what is on the screen. */
import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { deadness, type PageView } from '../page-view.ts';
import { filtered, inOrder, isNotWell, namespacesOf } from '../row-filter.ts';
import { type PageClock, Clock } from './clock.tsx';
import { type Hands, HandsContext } from './hands.ts';
import { Help } from './help.tsx';
import { LifePanel } from './life.tsx';
import { Nodes } from './nodes.tsx';
import { Table } from './table.tsx';
import { Toolbar } from './toolbar.tsx';
import { Figures, StaleBanner, TopLine, Verdict } from './top.tsx';
import { visibleLine } from '../visible-text.ts';

interface PageProps {
  readonly view: PageView;
  readonly clock: PageClock;
  readonly hands: Hands;
}

export function Page({ view, clock, hands }: PageProps): VNode {
  const { state, filter, openId } = view;
  const isDead = deadness(view) !== undefined;
  const ordered = useMemo(() => inOrder(state.rows), [state.rows]);
  const namespaces = useMemo(() => namespacesOf(state.rows), [state.rows]);
  const rows = useMemo(() => filtered(ordered, filter), [ordered, filter]);
  const open = openId === undefined ? undefined : state.rows.find(({ id }) => id === openId);
  return (
    <Clock.Provider value={clock}>
      <HandsContext.Provider value={hands}>
        <div class={`frame${isDead ? ' is-dead' : ''}${openId === undefined ? '' : ' has-life'}`}>
          <TopLine view={view} />
          <StaleBanner view={view} />
          <main id="main">
            <div class="lead">
              <Verdict view={view} />
              <Figures state={state} />
            </div>
            <Nodes nodes={state.nodes} isDead={isDead} />
            <Toolbar
              filter={filter}
              namespaces={namespaces}
              shown={rows.length}
              all={state.rows.length}
              notWell={state.rows.filter(isNotWell).length}
            />
            <Table rows={rows} isDead={isDead} openId={openId} />
            {rows.length === 0 ? <Empty hasRows={state.rows.length > 0} /> : null}
          </main>
          {openId === undefined ? null : (
            <LifePanel key={openId} id={openId} row={open} isDead={isDead} mayWrite={state.mayWrite} />
          )}
          <Help />
          <div role="status" class={`notice${view.notice?.isBad === true ? ' is-bad' : ''}`}>
            {view.notice === undefined ? null : <p key={view.notice.key}>{visibleLine(view.notice.words)}</p>}
          </div>
        </div>
      </HandsContext.Provider>
    </Clock.Provider>
  );
}

function Empty({ hasRows }: { readonly hasRows: boolean }): VNode {
  return <p class="empty">{hasRows ? 'No workload fits the filter.' : 'There are no workloads that you may see.'}</p>;
}
