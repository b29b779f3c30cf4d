import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { TargetedMouseEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AgreementQuery } from '../../../client/src/resources/agreements.ts';
import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { ListFilters, usualOrder } from '../agreements/listFilters.tsx';
import { WhoActs } from '../agreements/whoActs.tsx';
import { useDebounced } from '../parts/debounced.ts';
import { Failure } from '../parts/failure.tsx';
import { Hex } from '../parts/hex.tsx';
import { startOfDay } from '../parts/startOfDay.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAddressBar } from '../service/addressBar.ts';
import { service } from '../service/client.ts';
import { lookAfter } from '../service/pauses.ts';
import { useMay } from '../service/queries.ts';
import { chainName } from '../service/settings.ts';
import { texts } from '../texts/texts.ts';

const words = texts.agreements;
const pageSize = 25;
const typingMs = 250;
type Summary = Awaited<ReturnType<typeof service.agreements.list>>['data'][number];

const columns: readonly Column<Summary>[] = [
  {
    title: words.name,
    isTitle: true,
    show: ({ id, displayName, address, chainId }) => (
      <>
        <a class="name" href={`/console/agreements/${id}`} dir="auto">
          {showUnseen(displayName)}
        </a>
        <div class="small soft">
          {chainName(chainId)} {address && <Hex value={address} />}
        </div>
      </>
    ),
  },
  {
    title: words.state,
    show: ({ status, state }) =>
      status === 'Draft' ? (
        <span class="tag warn">{words.draft}</span>
      ) : (
        <span class="tag" dir="auto">
          {showUnseen(state ?? '')}
        </span>
      ),
  },
  { title: words.whoActs, show: ({ id, status }) => (status === 'Draft' ? '–' : <WhoActs id={id} />) },
  {
    title: words.lastInput,
    show: ({ lastInputId, lastInputAt }) =>
      lastInputId === undefined ? (
        <span class="soft">–</span>
      ) : (
        <>
          <span dir="auto">{showUnseen(lastInputId)}</span>{' '}
          <span class="small soft">
            <Time at={lastInputAt} />
          </span>
        </>
      ),
  },
  { title: words.age, show: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The principal's agreements, filtered by the address bar, kept up to date. */
export function AgreementsPage() {
  useTitle(words.title);
  const { query, set, write } = useAddressBar();
  const mayWrite = useMay('agreements.write');
  const { route } = useLocation();
  const [search, setSearch] = useState(query.name ?? '');
  const wanted = useDebounced(search.trim(), typingMs);
  const name = isReference(wanted) ? '' : wanted;
  const given = query.name ?? '';
  const written = useRef(given);
  useEffect(() => {
    if (name === given) return;
    written.current = name;
    set({ name, cursor: undefined });
  }, [name]);
  // The address also changes by links and by going back.
  useEffect(() => {
    if (given === written.current) return;
    written.current = given;
    setSearch(given);
  }, [given]);
  const asked = readQuery(query);
  const list = useQuery({
    queryKey: ['agreements', asked],
    queryFn: async ({ signal }) => service.agreements.list(asked, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { error } }) => lookAfter(15_000, error),
  });
  const rows = list.data?.data;
  // Whoever turns the page reads the next one from its beginning, if not in another tab.
  const turns = useRef(false);
  const turn = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    // Once the page is there, the second click of a double would go on.
    if (event.detail <= 1) turns.current = true;
    else {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  useEffect(() => {
    if (turns.current) scrollTo(0, 0);
    turns.current = false;
  }, [query.cursor]);
  const open = (event: Event) => {
    event.preventDefault();
    const text = search.trim();
    if (isReference(text)) route(`/console/agreements/${text}`);
    else if (rows?.length === 1 && rows[0]) route(`/console/agreements/${rows[0].id}`);
  };
  const { nextCursor = null, totalCount } = list.data?.pageInfo ?? {};
  const isFiltered = ['name', 'state', 'chainId', 'since'].some((filter) => query[filter]);
  return (
    <>
      <div class="page-head">
        <h1>{words.title}</h1>
        {totalCount !== undefined && <span class="soft">{words.total(totalCount)}</span>}
        <span role="status" class="soft">
          {list.isPlaceholderData && texts.loading}
        </span>
      </div>
      <ListFilters query={query} set={set} search={search} onSearch={setSearch} onSubmit={open} />
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 ? (
        <div class="empty">
          <p>{isFiltered ? words.none : words.empty}</p>
          {!isFiltered && (
            <>
              <p class="small">{words.emptyHint}</p>
              {mayWrite && (
                <p>
                  <a href="/console/author">{words.begin}</a>
                </p>
              )}
            </>
          )}
        </div>
      ) : (
        !(list.error && !list.data) && (
          <Table
            caption={words.caption}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            expected={pageSize}
          />
        )
      )}
      <p class="row section">
        {query.cursor && (
          <a href={write({ cursor: undefined })} onClick={turn}>
            {words.first}
          </a>
        )}
        {nextCursor !== null && (
          <a href={write({ cursor: nextCursor })} onClick={turn}>
            {words.next}
          </a>
        )}
      </p>
    </>
  );
}

/** Whether a text identifies one agreement, wherever it is in the list. */
function isReference(text: string): boolean {
  return /^(agr_[0-9a-f]+|0x[0-9a-fA-F]{40})$/.test(text);
}

function readQuery({
  name,
  state,
  chainId,
  since,
  sort,
  cursor,
}: Readonly<Record<string, string>>): AgreementQuery {
  const [field, direction] = (sort ?? usualOrder(name)).split('.');
  const order = direction === 'asc' ? 'asc' : 'desc';
  const sorted: NonNullable<AgreementQuery['sort']> =
    field === 'displayName'
      ? { displayName: order }
      : field === 'updatedAt'
        ? { updatedAt: order }
        : { createdAt: order };
  return {
    limit: pageSize,
    sort: sorted,
    ...(name && { displayName: { startsWith: name } }),
    ...(state && { state }),
    ...(chainId && { chainId: Number(chainId) }),
    ...(since && { createdAt: { gte: startOfDay(since) } }),
    ...(cursor && { cursor }),
  };
}
