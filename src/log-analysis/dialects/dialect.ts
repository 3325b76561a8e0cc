/** The type of a dialect: what one program or language says beyond the general grammar. */
export interface Dialect {
  readonly name: string;
  /** A line that only this program writes; the patterns below count in logs with such a line. */
  readonly recognises: RegExp;
  /** Lines that never decide: closings, advice, dumps. */
  readonly noise?: RegExp;
  /** Lines that only follow from another error. */
  readonly consequence?: RegExp;
  /** Lines after which earlier errors count as overcome. */
  readonly recovery?: RegExp;
  /** What a line of the log says when the server itself writes it; without such a line the errors are a client's own. */
  readonly ofServer?: RegExp;
  /** Errors of one request or one session, which do not end the program, with the stack traces that follow them. */
  readonly request?: RegExp;
  /** The same, but only after a recovery: before it, such errors end the program. */
  readonly requestWhenReady?: RegExp;
  /** A line shortly before the decisive one that names what that is about: the first group. */
  readonly context?: RegExp;
  /** Lines that decide although their level does not say so. */
  readonly decisive?: RegExp;
}
