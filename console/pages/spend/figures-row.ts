import { graphql, type ResultOf } from '../../api/graphql.ts';

/** A row of a report, with the figures that spend pages share. */
export const figuresRow = graphql(`
  fragment FiguresRow on SpendReportRow @_unmask {
    from
    to
    id
    identityId
    name
    chargedCents
    includedCents
    usageBasedCents
    tabAcceptanceRate
    applyAcceptanceRate
    centsPerAcceptedLine
    metrics {
      lines_accepted_added
      ai_requests_agent
    }
  }
`);
export type FiguresRow = ResultOf<typeof figuresRow>;

const line = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** "0.14 ¢" */
export const cents = (value: string | null | undefined): string =>
  value == null ? '–' : `${line.format(Number(value))} ¢`;
