/** Rule: a program was built for another C library, or a newer one, than its image has. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, explainedEnd, title } from './exit-code.ts';

/** "/lib/libc.so.6: version `GLIBC_2.34' not found (required by /app/server)" */
const TOO_OLD =
  /(?:(\S+): )?version [`'"](G(?:LIBC|LIBCXX|CC)|CXXABI|OPENSSL)(?:_([\w.]+))?['"] not found(?: \(required by ([^)]+)\))?/;
/** The words of musl's loader about programs of glibc. */
const GLIBC_ON_MUSL =
  /Error relocating ([^\s:]+): (?:\w+_chk|gnu_get_libc_version|__res_\w+|__\w+_finite|__libc_\w+|fcntl64|\w+64|backtrace\w*|__register_atfork|mallinfo\w*|pthread_\w+_np|strtoll_l|getcontext|makecontext)\b.*symbol not found|Error loading shared library ld-linux[\w.-]*: .*?(?:needed by ([^)\s]+))/;
/** The words of glibc's loader about programs of musl. */
const MUSL_ON_GLIBC =
  /(?:(\S+): )?(?:error while loading shared libraries: )?libc\.musl-[\w.-]+: cannot open shared object file/;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container)) return NOTHING;
  const old = lastWord(container, TOO_OLD);
  if (old !== undefined) {
    const [, library, name = '', version, by] = old.match;
    const has = library === undefined ? 'its image has' : `${library} of its image`;
    const wanted = `${name}${version === undefined ? '' : `_${version}`}`;
    return [finding(facts, container, old, `was built for a newer library than ${has} (it wants ${wanted})`, by)];
  }
  const glibc = lastWord(container, GLIBC_ON_MUSL);
  if (glibc !== undefined) {
    const what = 'was built for glibc, and its image has musl (as Alpine does)';
    return [finding(facts, container, glibc, what, glibc.match[1] ?? glibc.match[2])];
  }
  const musl = lastWord(container, MUSL_ON_GLIBC);
  if (musl === undefined) return NOTHING;
  return [finding(facts, container, musl, 'was built for musl (as on Alpine), and its image has glibc', undefined)];
};

export const cLibraries: PodRule = eachContainer(ofContainer);

function finding(
  facts: PodFacts,
  container: ContainerFacts,
  word: LastWord,
  what: string,
  file: string | undefined,
): RankedFinding {
  return explainedEnd(facts, container, {
    id: 'c-library-mismatch',
    rank: rankOfWord(94, word),
    says: `${title(container)} cannot run: ${file ?? 'what it loads'} ${what}`,
    line: word.line,
    more: [
      { source: 'field', path: `${container.path}.image`, value: container.spec.image ?? '' },
      ...argumentsOf(container),
    ],
    try: facts.commands.edit,
  });
}
