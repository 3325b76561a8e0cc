/** Something that the person at the keyboard must know and can change. Shown as its message alone, without a stack. */
import { type ExitCode, exitCodes } from '../cli/index.ts';

export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: ExitCode;
  constructor(message: string, options?: ErrorOptions & { readonly exitCode?: ExitCode }) {
    super(message, options);
    this.exitCode = options?.exitCode ?? exitCodes.failed;
  }
}
