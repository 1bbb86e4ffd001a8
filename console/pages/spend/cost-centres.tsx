import { useLocation } from 'react-router';
import { nameOr, ReportTable } from './report-table.tsx';
import { narrowedTo } from './use-question.ts';

export function Component() {
  const { search } = useLocation();
  return (
    <ReportTable
      by="cost_centre"
      label="Cost centres"
      nameLabel="Cost centre"
      nameOf={nameOr('In no cost centre')}
      narrowedBy={['group', 'connection']}
      to={({ id }) => `/spend/overview${id ? narrowedTo(search, 'centre', id) : search}`}
    />
  );
}
