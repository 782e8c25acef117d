package recall

import (
	"cmp"
	"context"

	"hearthd/memory"
)

// Profile is what persons told about themselves, for the tools. For what they did not tell, the
// household's holds, and then the configuration's.
type Profile struct{ r *Recollection }

// NewProfile makes it.
func NewProfile(r *Recollection) Profile { return Profile{r} }

// Home gives where a person lives, and whether they use miles and Fahrenheit.
func (p Profile) Home(ctx context.Context, person string) (place string, imperial bool, err error) {
	who, err := p.r.person(ctx, person)
	return who.Profile.Place, who.Profile.Units == "imperial", err
}

// SetHome stores place and units, each unless it is empty.
func (p Profile) SetHome(ctx context.Context, person, where, units string) error {
	if where != "" {
		if err := p.r.setName(ctx, person, where, place); err != nil {
			return err
		}
	}
	return p.r.opt.Store.ChangePerson(ctx, person, func(m *memory.Person) {
		m.Profile.Units = cmp.Or(units, m.Profile.Units)
	})
}

// Tickers gives the stocks that a person watches.
func (p Profile) Tickers(ctx context.Context, person string) ([]string, error) {
	who, err := p.r.person(ctx, person)
	return who.Profile.Tickers, err
}

// ChangeTickers lets change alter them. A person with none of their own begins with those of the
// household.
func (p Profile) ChangeTickers(ctx context.Context, person string, change func([]string) []string) error {
	begin, err := p.Tickers(ctx, person)
	if err != nil {
		return err
	}
	return p.r.opt.Store.ChangePerson(ctx, person, func(m *memory.Person) {
		if len(m.Profile.Tickers) > 0 {
			begin = m.Profile.Tickers
		}
		m.Profile.Tickers = change(begin)
	})
}
