/** The event on the node about a change of PLEG's mode. Pure. */
import type { ModeChange } from './event-stream.ts';

export interface ModeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** `undefined`: nothing to report, for example at a start. A first mode that is Generic because of failed streams is reported. */
export function modeEvent({ mode, before, reason, failed }: ModeChange): ModeEvent | undefined {
  if (failed) {
    return {
      type: 'Warning',
      reason: 'EventedPLEGFailed',
      message: `the runtime's event stream fails, falling back to Generic PLEG: ${reason}`,
    };
  }
  if (mode !== 'evented' || before === undefined) return undefined;
  return {
    type: 'Normal',
    reason: 'EventedPLEGRestored',
    message: "the runtime's event stream stands again, returning to Evented PLEG",
  };
}
