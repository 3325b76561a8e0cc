/** What is refused: a status, and words for the page. */
import { StatusError } from '../api/index.ts';
import { ConnectionError } from '../lib/index.ts';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number, words: string) {
    super(words);
    this.status = status;
  }
}

/** As the API server said it; undefined: a bug of ours. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error;
  // 401 would tell the page that its session is over.
  if (error instanceof StatusError) return new Refused(error.code === 401 ? 403 : error.code, error.message);
  if (error instanceof ConnectionError) return new Refused(502, `The API server does not answer: ${error.message}`);
  return undefined;
}
