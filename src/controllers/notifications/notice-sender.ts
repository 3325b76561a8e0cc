/** The port through which messages go out. */

export interface OutgoingMessage {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Values that no answer may be quoted with. */
  readonly secrets: readonly string[];
  /** Authorities of the target's certificate, PEM. Absent: those of the system. */
  readonly authorityPem?: string;
}

/** The reason is one of a few words: it is a label of a metric. */
export type SendProblem = 'Refused' | 'Unresolved' | 'Unreachable' | 'TimedOut' | 'Answered' | 'Secret';

export type SendResult =
  /** The target has it. `answer`: "200 OK: ok". */
  | { readonly delivered: true; readonly answer: string }
  | {
      readonly delivered: false;
      readonly reason: SendProblem;
      /** One line, without the path of the address, which may be a secret. */
      readonly problem: string;
      /** The target wants to be asked no sooner, ms. */
      readonly retryAfterMs?: number;
    };

/** Sends one message, once, within a bounded time. Never rejects; an aborted one counts as timed out. */
export type NoticeSender = (message: OutgoingMessage, signal: AbortSignal) => Promise<SendResult>;
