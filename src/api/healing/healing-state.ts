/** The annotation with the state of a pod's healing, written by its agent: its reader and its writer. */
import { byteLength } from '../validation/messages.ts';
import { cutText } from './cut-text.ts';
import { readFields } from './read-fields.ts';
import {
  HEALING_SCOPES,
  type HealingState,
  MAX_HEALING_STATE_BYTES,
  MAX_RESTART_OUTCOMES,
  type PodRestartPhase,
} from './types.ts';

const PHASES: readonly PodRestartPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed'];

/** The value of `mendlet.dev/healing`; undefined for what no agent of ours wrote. */
export function parseHealingState(text: string | undefined): HealingState | undefined {
  if (text === undefined || byteLength(text) > MAX_HEALING_STATE_BYTES) return undefined;
  const read = readFields('mendlet.v1alpha1.HealingState', parse(text), '');
  const state = read.value as HealingState;
  return read.errors.length === 0 && hasKnownWords(state) ? state : undefined;
}

function hasKnownWords({ rung, restarts = [] }: HealingState): boolean {
  const known = rung === undefined || rung === 'stopped' || HEALING_SCOPES.includes(rung);
  return known && restarts.every((outcome) => PHASES.includes(outcome.phase));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes of each text and number of restarts, in the order in which they are tried. */
const SIZES: readonly (readonly [textBytes: number, restarts: number])[] = [
  [512, MAX_RESTART_OUTCOMES],
  [256, MAX_RESTART_OUTCOMES],
  [128, MAX_RESTART_OUTCOMES],
  [128, 2],
  [128, 1],
  [64, 1],
  [64, 0],
];

/** JSON of at most `MAX_HEALING_STATE_BYTES`: texts are cut first, then the oldest outcomes go. Never fails. */
export function formatHealingState(state: HealingState): string {
  for (const [textBytes, restarts] of SIZES) {
    const text = JSON.stringify(shorten(state, textBytes, restarts));
    if (byteLength(text) <= MAX_HEALING_STATE_BYTES) return text;
  }
  const { rung, attempts, of, podRestarts, cleanRestarts } = state;
  return JSON.stringify({ rung, attempts, of, podRestarts, cleanRestarts });
}

function shorten(state: HealingState, textBytes: number, outcomes: number): HealingState {
  const { cause, move, restarts, recovery, problem } = state;
  const cut = (text: string) => cutText(text, textBytes);
  return {
    ...state,
    ...(cause === undefined ? {} : { cause: cut(cause) }),
    ...(move === undefined ? {} : { move: { ...move, cause: cut(move.cause) } }),
    ...(restarts === undefined
      ? {}
      : { restarts: restarts.slice(0, outcomes).map((outcome) => shortenOutcome(outcome, cut)) }),
    ...(recovery === undefined ? {} : { recovery: { ...recovery, cause: cut(recovery.cause) } }),
    ...(problem === undefined ? {} : { problem: cut(problem) }),
  };
}

type Outcome = NonNullable<HealingState['restarts']>[number];

function shortenOutcome(outcome: Outcome, cut: (text: string) => string): Outcome {
  const { message } = outcome;
  return message === undefined ? outcome : { ...outcome, message: cut(message) };
}
