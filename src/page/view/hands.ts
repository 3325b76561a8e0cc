/** What the page can do beyond being drawn: the browser's half gives it. On the server, where nobody clicks, it does nothing. */
import { createContext } from 'preact';
import type { Act, Life, LogQuery, Rights } from '../contract.ts';
import type { Filter } from '../row-filter.ts';

export interface LogSink {
  lines(lines: readonly string[]): void;
  /** @param problem absent: the log is complete */
  end(problem?: string): void;
}

export interface Server {
  /** @throws Error in words that can be shown, like all calls here */
  life(id: string): Promise<Life>;
  rights(namespace: string): Promise<Rights>;
  /** @returns what was done, in words */
  act(act: Act): Promise<string>;
  /** @returns what ends it */
  followLog(query: LogQuery, sink: LogSink): () => void;
}

export interface Hands {
  readonly server: Server;
  choose(filter: Partial<Filter>): void;
  /** @param id undefined: closes it */
  openLife(id: string | undefined): void;
  showHelp(isOpen: boolean): void;
  /** The row that has the focus now. */
  focusedRow(): string | undefined;
  focusRow(id: string): void;
  /** The same without scrolling: its row has moved. */
  refocusRow(id: string): void;
  copy(text: string): void;
  /** Reaches for the server now. */
  reconnect(): void;
  logOut(): void;
}

const nobody = (): Promise<never> => Promise.reject(new Error('this page is not live yet'));
const nothing = (): void => {};

export const NO_HANDS: Hands = {
  server: { life: nobody, rights: nobody, act: nobody, followLog: () => nothing },
  choose: nothing,
  openLife: nothing,
  showHelp: nothing,
  focusedRow: () => undefined,
  focusRow: nothing,
  refocusRow: nothing,
  copy: nothing,
  reconnect: nothing,
  logOut: nothing,
};

export const HandsContext = createContext<Hands>(NO_HANDS);
