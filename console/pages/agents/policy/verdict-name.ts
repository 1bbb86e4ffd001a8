const verdictNames = { allow: 'Allow', approval: 'Require approval', deny: 'Deny' } as const;

export const verdictName = ({ verdict, steps }: { verdict: keyof typeof verdictNames; steps: string[] }): string =>
  verdict === 'approval' ? `${verdictNames.approval}: ${steps.join(', ')}` : verdictNames[verdict];
