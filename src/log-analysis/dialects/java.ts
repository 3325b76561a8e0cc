/** Java and what runs on it: Spring's reports, logback's own status lines, the JVM's closings. */
import type { Dialect } from './dialect.ts';

export const java: Dialect = {
  name: 'java',
  recognises:
    /^\s+at [\w.$/<>]+\([\w.]+(?:\.java|\.kt|\.scala)?(?::\d+)?\)|^Caused by: |^Exception in thread |^Picked up JAVA_TOOL|^Error: (?:Could not|Unable to|A JNI|LinkageError|Main method)|^Error occurred during initialization|^OpenJDK |^SLF4J: |^APPLICATION FAILED TO START|\b(?:org|o)\.(?:springframework|s)\.|^# A fatal error has been detected by the Java|^Unrecognized (?:VM )?option|^Invalid (?:maximum|initial|thread)/,
  noise:
    /^Picked up (?:JAVA|_JAVA)|^SLF4J: |^OpenJDK 64-Bit Server VM warning|^\.\.\. \d+ (?:more|common)|^Suppressed: |^Error: A JNI error has occurred|^Error: Could not create the Java Virtual Machine|^Error: A fatal exception has occurred|^Error occurred during initialization of (?:VM|boot layer)$|^Action:|^Description:|^\*{10,}|^APPLICATION FAILED TO START|^Error starting ApplicationContext|^# (?:If|An error report|Problematic|JRE version|Java VM|Core dump|\s)|^#$|^To see the full stack trace|^Note: |^Please check your|^Dumping heap to|^Heap dump file created|^Terminating due to java\.lang\.OutOfMemoryError|^\[thread \d+ also had an error/,
  consequence:
    /^(?:Error: )?LinkageError occurred|^(?:Application run failed|Exception encountered during context initialization|Shutting down|Stopping service)|^Failed to load class "org\.slf4j/,
  recovery:
    /\bStarted \w+ in \d+(?:\.\d+)? seconds|\bServer startup in|\bTomcat started on port|\bStarted ServerConnector|\bstarted, listening on/,
  decisive:
    /^java\.lang\.OutOfMemoryError|^Unrecognized (?:VM )?option|^Invalid (?:maximum|initial|thread)|^Error: (?:Could not find or load|Unable to|Main method|Could not reserve)|^(?:Could not reserve|Too small maximum heap|Initial heap size|Conflicting|Multiple garbage)|^Web server failed to start|^Parameter \d+ of \w+ in \S+ required|^Failed to (?:configure a DataSource|bind properties)|^The dependencies of some of the beans/,
};
