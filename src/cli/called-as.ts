/** Finds the verb in the program's name: kubectl starts `kubectl-VERB` for "kubectl VERB", with `_` for `-`. Pure. */

export interface Call {
  readonly calledAs: 'mendlet' | 'kubectl';
  /** The arguments after the program's name. */
  readonly args: readonly string[];
}

/**
 * @param program path of the program that was started, e.g. process.argv[1]
 * @param args the arguments after it
 */
export function callOf(program: string | undefined, args: readonly string[]): Call {
  const name = program?.slice(program.lastIndexOf('/') + 1) ?? '';
  const verb = /^kubectl-([a-z_]+)(?:\.js)?$/.exec(name)?.[1]?.replaceAll('_', '-');
  return verb === undefined
    ? { calledAs: 'mendlet', args }
    : { calledAs: 'kubectl', args: [verb, ...args.map(withoutEquals)] };
}

/** kubectl accepts "-n=NAME", too; commander would read a name that begins with "=". */
function withoutEquals(arg: string): string {
  return /^-[A-Za-z]=./.test(arg) ? arg.slice(0, 2) + arg.slice(3) : arg;
}
