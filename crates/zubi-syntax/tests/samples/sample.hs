module Money (Rate) where
import Data.List
-- | A rate.
data Rate a = Fixed { value :: Int, unit :: String } | Floating Int
newtype Wrap = Wrap { unwrap :: Int }
type Rates = [Rate Int]
class Priced p where
  price :: p -> Int
  twice :: p -> Int
  twice p = price p * 2
instance Priced Wrap where
  price (Wrap x) = x
-- | The total.
total :: [Int] -> Int
total [] = 0
total (x:xs) = x + total xs
maxRate = 9
x |+| y = x + y
foldl' f = f
