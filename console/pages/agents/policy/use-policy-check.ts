import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { type Problem, problemOf } from '../../../api/problem.ts';

const query = graphql(`
  query CheckPolicy($id: ID!, $text: String!) {
    checkPolicy(configurationId: $id, text: $text) {
      errors {
        message
        help
        line
        column
        length
      }
      warnings {
        message
        help
        line
        column
        length
      }
      statements {
        id
        start
        end
        rule {
          name
          verdict
          step
          who {
            kind
            id
          }
          actions
          connection
          conditions {
            path
            test
            type
            values
          }
        }
      }
    }
  }
`);

type CheckResult = ResultOf<typeof query>['checkPolicy'];
export type Statement = CheckResult['statements'][number];
export type Rule = NonNullable<Statement['rule']>;
export type Condition = Rule['conditions'][number];

export interface PolicyCheck extends CheckResult {
  /** The text that was checked; null: none yet. */
  of: string | null;
}

/** Removes the `__typename` fields that the client adds, so that a rule can be sent back to the server. */
const withoutTypenames = ({ id, start, end, rule }: Statement): Statement => ({
  id,
  start,
  end,
  rule: rule && ruleWithoutTypenames(rule),
});
const ruleWithoutTypenames = ({ name, verdict, step, who, actions, connection, conditions }: Rule): Rule => ({
  name,
  verdict,
  step,
  who: { kind: who.kind, id: who.id },
  actions,
  connection,
  conditions: conditions.map(({ path, test, type, values }) => ({ path, test, type, values })),
});

const emptyCheck: PolicyCheck = { of: null, errors: [], warnings: [], statements: [] };

/** Checks the text on the server, shortly after the last keystroke and whenever `version` changes. */
export function usePolicyCheck(
  configurationId: string,
  text: string,
  version: unknown,
): { check: PolicyCheck; problem: Problem | null } {
  const client = useClient();
  const [debouncedText] = useDebouncedValue(text, 300);
  const [check, setCheck] = useState(emptyCheck);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let isStale = false;
    void client
      .query(query, { id: configurationId, text: debouncedText }, { requestPolicy: 'network-only' })
      .toPromise()
      .then(({ data, error }) => {
        if (isStale) return;
        setProblem(error ? problemOf(error) : null);
        if (data)
          setCheck({
            ...data.checkPolicy,
            statements: data.checkPolicy.statements.map(withoutTypenames),
            of: debouncedText,
          });
      });
    return () => void (isStale = true);
  }, [client, configurationId, debouncedText, version]);
  return { check, problem };
}
