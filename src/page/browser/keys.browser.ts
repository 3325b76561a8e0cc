/** Keys that work wherever the focus is, but for fields that are typed into. */
import { NO_FILTER } from '../row-filter.ts';
import type { Hands } from '../view/hands.ts';
import { FILTER_ID } from '../view/toolbar.tsx';
import type { PageStore } from './page-store.browser.ts';

export function followKeys(store: PageStore, hands: Hands): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target instanceof Element ? event.target : undefined;
    if (event.key === 'Escape') leave(store, hands, target);
    else if (store.view.isHelpOpen || isTypedInto(target)) return;
    else if (event.key === '/') document.querySelector<HTMLElement>(`#${FILTER_ID}`)?.focus();
    else if (event.key === '?') hands.showHelp(true);
    else if (event.key === 'n') hands.choose({ notWell: !store.view.filter.notWell });
    else if ((event.key === 'ArrowDown' || event.key === 'j') && isNowhere(target)) focusTable();
    else return;
    event.preventDefault();
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

/** The innermost thing that is open closes first. */
function leave(store: PageStore, hands: Hands, target: Element | undefined): void {
  const { isHelpOpen, openId, filter } = store.view;
  if (isHelpOpen) hands.showHelp(false);
  else if (openId !== undefined) hands.openLife(undefined);
  else if (filter !== NO_FILTER) hands.choose(NO_FILTER);
  if (target?.id === FILTER_ID) focusTable();
}

function isTypedInto(target: Element | undefined): boolean {
  return target?.matches('input, textarea, select') ?? false;
}

function isNowhere(target: Element | undefined): boolean {
  return target === undefined || target === document.body || target === document.documentElement;
}

function focusTable(): void {
  document.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus();
}
