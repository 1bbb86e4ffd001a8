import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By how long they take: every page in a browser; files that drive a browser, end processes, or wait for time limits. */
const ranks = [
  /console-axe/,
  /(console|slack-socket|sources-permissions|knowledge-passes|mcp-approvals|kill|quarantine|chaos|processes|credential-matrix|elicitations|faults|stdio|fuzz)[\w-]*\.e2e-spec/,
];

/** Starts the long files first, so that at the end no worker waits for the last of them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = ranks.findIndex((name) => name.test(moduleId));
      return rank < 0 ? ranks.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
