import { Checkbox, Radio, Select, Stack, Text } from '@mantine/core';
import { Section } from '../../../kit/section.tsx';
import { authMethodWords } from './client-fields.ts';
import type { FormPart } from './client-form.tsx';

/** Whether it can keep a secret, and how it proves itself. */
export function HowItRuns({ form, fault, isTypeFixed }: FormPart & { isTypeFixed?: boolean }) {
  const { type, authMethod } = form.values;
  return (
    <Section title="How it runs">
      <Stack>
        {isTypeFixed ? (
          <Text size="sm">
            {type === 'public' ? 'Public: proves itself by PKCE alone.' : 'Confidential: keeps a secret on a server.'}{' '}
            That stays; for the other kind, create another client.
          </Text>
        ) : (
          <Radio.Group label="Type" required {...form.getInputProps('type')}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="public"
                label="Public (PKCE)"
                description="Runs where its users can look into it: in a browser, on a phone, on their own machine. Has no secret."
              />
              <Radio
                value="confidential"
                label="Confidential (backend)"
                description="Runs on a server that keeps a secret. PKCE as well."
              />
            </Stack>
          </Radio.Group>
        )}
        {type === 'public' && (
          <Checkbox
            label="Installed on its user’s own machine"
            description="May be called back at http://localhost and http://127.0.0.1, too."
            error={fault('isNative')}
            {...form.getInputProps('isNative', { type: 'checkbox' })}
          />
        )}
        {type === 'confidential' && (
          <Select
            label="How it proves itself at the token endpoint"
            data={(['client_secret_basic', 'client_secret_post'] as const).map((value) => ({
              value,
              label: authMethodWords[value],
            }))}
            allowDeselect={false}
            value={authMethod}
            error={fault('authMethod')}
            onChange={(method) => method && form.setFieldValue('authMethod', method)}
          />
        )}
      </Stack>
    </Section>
  );
}
