/** States, lives and changes of a cluster that is not there: what the live page is built and tried with. Deterministic. */
import type { Delta, Life, Mood, PageRow, PageState, StreamMessage } from '../../src/page/contract.ts';
/** Texts that try to be something else: markup, another direction, a second line, controls, an ending script. */
export declare const HOSTILE: {
  readonly name: '<img src=x onerror=alert(1)>';
  readonly bidi: 'api‮gpj.exe';
  readonly script: '</script><script>alert(1)</script>';
  readonly control: 'red \u001B[31malert\u0007 \0 ​⁦x';
  readonly lines: 'one\ntwo\r\nthree';
  readonly quote: `a'b"c$(reboot)\`id\``;
};
/** Numbers from a seed (mulberry32). */
export declare function seeded(seed: number): () => number;
/** A row; `mood` decides what else it tells. @param index makes names and figures differ */
export declare function fixtureRow(random: () => number, index: number, mood: Mood, now: number): PageRow;
export interface FixtureOptions {
  readonly rows: number;
  readonly now: number;
  /** Rows that are not well. */
  readonly troubled?: number;
  readonly nodes?: number;
  readonly mayWrite?: boolean;
  /** A row whose names and texts are hostile. */
  readonly isHostile?: boolean;
}
/** The same options give the same state. */
export declare function fixtureState({ rows, now, troubled, nodes, mayWrite, isHostile }: FixtureOptions): PageState;
export declare function hostileRow(now: number): PageRow;
/** A few of its rows changed, a few times a second: what a busy cluster sends. */
export declare function fixtureDelta(state: PageState, random: () => number, now: number): Delta;
export declare function fixtureBeat(now: number): StreamMessage;
/** The life of a row, with deaths, findings, events and a day of figures. */
export declare function fixtureLife(row: PageRow, now: number): Life;
